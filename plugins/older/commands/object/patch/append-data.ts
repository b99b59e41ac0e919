import { patchData } from '../../../patch-data.ts'

export const appendData = patchData('object/patch/append-data', 'Make an object with more data behind what it has.', (before, input) =>
  Buffer.concat([before, input])
)
