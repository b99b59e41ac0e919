import { access, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import semver from 'semver'
import { API_VERSION, messageOf } from '../../../core/index.ts'
import { fileAt, packageAt } from '../../plugins/load/find.ts'
import { hasDefaultExport } from '../../plugins/load/import.ts'
import { type Finding, finding } from './finding.ts'

/** The package or file at a path. */
interface Subject {
  /** The module to import; undefined where there is none. */
  readonly module: string | undefined
  readonly findings: readonly Finding[]
}

/** Looks at a package's folder, or at a plugin's file, without running anything of it. */
export async function subjectAt(path: string): Promise<Subject> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return { module: undefined, findings: [finding(`there is nothing at ${path}`, 'name a package or a file')] }
  if (found.isDirectory()) return packageSubject(path)
  const { module, range } = (await fileAt(path))!
  // it is told of the module then that it has no plugin
  if (range === undefined && !(await hasDefaultExport(module))) return { module, findings: [] }
  return { module, findings: rangeFindings(range, `${path} names no api range`, "write api: '^1' in plugin({ … })") }
}

async function packageSubject(folder: string): Promise<Subject> {
  try {
    const found = await packageAt(folder, folder)
    if (found === undefined)
      return { module: undefined, findings: [finding(`${folder} has no package.json`, 'name the folder of a package')] }
    const findings = rangeFindings(found.range, 'package.json does not say which api it is written for', 'add "holdfast": { "api": "^1" }')
    const built = await access(found.module).then(
      () => true,
      () => false
    )
    if (!built)
      findings.push(finding(`its module ${relative(folder, found.module)} is not there`, "build it, or mend 'exports' in package.json"))
    else findings.push(...(await entryFindings(folder, relative(folder, found.module))))
    return { module: built ? found.module : undefined, findings }
  } catch (error) {
    return { module: undefined, findings: [finding(`package.json cannot be read: ${messageOf(error)}`, 'mend it')] }
  }
}

/** The faults that would keep an installed copy from being imported. */
async function entryFindings(folder: string, entry: string): Promise<Finding[]> {
  const found: Finding[] = []
  if (/\.[cm]?ts$/.test(entry))
    found.push(
      finding(
        `its module ${entry} is TypeScript, which Node does not run from node_modules`,
        "compile it, and name the result in 'exports'"
      )
    )
  const { files } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { files?: readonly string[] }
  const parts = entry.split(/[\\/]/)
  const packed = files === undefined || files.some(file => /[*!]/.test(file) || clean(file).every((part, i) => parts[i] === part))
  if (!packed) found.push(finding(`package.json leaves ${entry} out of what is published`, `add its folder to "files"`))
  return found
}

const clean = (path: string) => path.split('/').filter(part => part !== '' && part !== '.')

export function rangeFindings(range: string | undefined, missing: string, remedy: string): Finding[] {
  if (range === undefined) return [finding(missing, remedy)]
  if (semver.validRange(range) === null) return [finding(`'${range}' is no range of versions`, 'write "^1"')]
  if (!semver.satisfies(API_VERSION, range))
    return [finding(`it is written for api '${range}', but this host offers ${API_VERSION}`, 'write "^1" and mend what the compiler tells')]
  return []
}
