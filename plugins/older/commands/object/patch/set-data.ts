import { patchData } from '../../../patch-data.ts'

export const setData = patchData('object/patch/set-data', 'Make an object with other data.', (_, input) => input)
