import type { Family, Value } from './instruments.ts'

/** Text of families as Prometheus reads it, format 0.0.4. Families without values are left out. */
export function metricsText(families: ReadonlyArray<{ readonly family: Family; readonly values: readonly Value[] }>): string {
  const texts = families
    .filter(({ values }) => values.length > 0)
    .map(({ family: { name, help, type }, values }) =>
      [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...values.map(value => line(name, value))].join('\n')
    )
  return `${texts.join('\n\n')}\n`
}

function line(family: string, { metricName = family, labels, value }: Value): string {
  const parts = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text).replaceAll('"', '\\"')}"`)
  return `${metricName}${parts.length > 0 ? `{${parts.join(',')}}` : ''} ${String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || '+'}Inf`)}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
