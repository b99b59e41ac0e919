import type { Format } from '../request/format.ts'
import type { Answer } from '../services.ts'
import { answerCar } from './car.ts'
import { answerRaw } from './raw.ts'
import { answerRecord } from './record.ts'
import { answerTar } from './tar.ts'

/** Answers that a client can check against the CID that it asked for, and archives. */
export const trustless: Readonly<Partial<Record<Format, Answer>>> = {
  raw: answerRaw,
  car: answerCar,
  tar: answerTar,
  'ipns-record': answerRecord
}
