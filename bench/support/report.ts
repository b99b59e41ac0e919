/** One measured figure, held against what it is compared with in the same run: the ratio measured/against has a limit. */
export type Figure = {
  readonly name: string
  readonly measured: number
  readonly against: number
  readonly unit: string
} & ({ readonly atLeast: number; readonly atMost?: never } | { readonly atMost: number; readonly atLeast?: never })

/** Prints `name: 412 MiB/s against 480 MiB/s: ratio 0.86, limit ≥ 0.5: held`; a limit that does not hold makes the run fail. */
export function report(figure: Figure): void {
  const { name, measured, against, unit } = figure
  const ratio = measured / against
  const [held, limit] =
    figure.atLeast !== undefined ? [ratio >= figure.atLeast, `≥ ${figure.atLeast}`] : [ratio <= figure.atMost, `≤ ${figure.atMost}`]
  const round = (n: number) => (n >= 100 ? n.toFixed(0) : n.toPrecision(3))
  console.log(
    `${name}: ${round(measured)} ${unit} against ${round(against)} ${unit}: ratio ${ratio.toFixed(2)}, limit ${limit}: ${held ? 'held' : 'NOT HELD'}`
  )
  if (!held) process.exitCode = 1
}

export const MiB = 1 << 20

/** The one in the middle: of several runs, a single one is the machine's doing. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
