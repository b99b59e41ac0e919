import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isInterfaceDeclaration, isTypeAliasDeclaration, isVariableStatement, type Node, type SourceFile } from 'typescript/unstable/ast'
import { API, type Project, type Symbol as TypeSymbol } from 'typescript/unstable/sync'

/** A member of a service: a method, or a value that can be read. */
export interface MemberText {
  readonly name: string
  /** Its form in the interface: `get(cid: CID): Promise<Pin | undefined>`. Several where it can be called in several ways. */
  readonly signatures: readonly string[]
  /** The comment in front of it, as it stands in the source; empty where there is none, and for what a library declares. */
  readonly comment: string
  /** The package that declares it; undefined for this one. */
  readonly library: string | undefined
}

/** A service, as the source of its token tells. */
export interface ServiceText {
  /** The name that is imported: `Pins`. */
  readonly token: string
  /** The name in configuration and messages: `pins`. */
  readonly name: string
  readonly comment: string
  readonly members: readonly MemberText[]
}

/** A type that members of services speak of, as it stands in the source. */
interface TypeText {
  readonly name: string
  readonly source: string
}

export interface ServiceTexts {
  readonly services: readonly ServiceText[]
  readonly types: readonly TypeText[]
}

/** SymbolFlags.Optional and NodeBuilderFlags.NoTruncation of the compiler. */
const OPTIONAL = 1 << 24
const NO_TRUNCATION = 1

/** Every token in `core/services` and `core/contract/plugin.ts` with its interface, read by the compiler from the sources. */
export async function serviceTexts(root: URL): Promise<ServiceTexts> {
  const folder = fileURLToPath(root)
  const names = (await readdir(`${folder}core/services`, { recursive: true }))
    .filter(name => name.endsWith('.ts') && name !== 'index.ts')
    .sort()
  const api = new API({ cwd: folder })
  try {
    const project = api.updateSnapshot({ openProject: `${folder}tsconfig.json` }).getProjects()[0]!
    const files = [...names.map(name => `services/${name}`), 'contract/plugin.ts'].map(
      name => project.program.getSourceFile(`${folder}core/${name}`)!
    )
    const services = files.flatMap(file => servicesOf(file, project))
    const tokens = new Set(services.map(({ token }) => token))
    const types = files.slice(0, -1).flatMap(typesOf)
    return { services, types: types.filter(({ name }) => !tokens.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1)) }
  } finally {
    api.close()
  }
}

const TOKEN = /^export const (\w+): Token<(\w+)> = token<\w+>\('([^']+)'\)$/

function servicesOf(file: SourceFile, project: Project): ServiceText[] {
  return file.statements.filter(isVariableStatement).flatMap(statement => {
    const [, token, type, name] = TOKEN.exec(statement.getText(file)) ?? []
    if (token === undefined || type === undefined || name === undefined) return []
    const declared = statement.declarationList.declarations[0]!
    const described = project.checker.getTypeAtLocation(typeArgument(declared.type!))!
    const declaredInterface = file.statements.find(other => isInterfaceDeclaration(other) && other.name.text === type)
    return [
      {
        token,
        name,
        comment: commentOf(statement, file) || (declaredInterface === undefined ? '' : commentOf(declaredInterface, file)),
        members: type === 'unknown' ? [] : project.checker.getPropertiesOfType(described).flatMap(symbol => memberOf(symbol, project))
      }
    ]
  })
}

/** `Pins` of `Token<Pins>`. */
function typeArgument(reference: Node): Node {
  return (reference as Node & { readonly typeArguments: readonly Node[] }).typeArguments[0]!
}

function memberOf(symbol: TypeSymbol, project: Project): MemberText[] {
  const nodes = symbol.declarations.map(handle => handle.resolve(project)).filter(node => node !== undefined)
  const [first] = nodes
  // what has no name that a plugin would write, such as a well-known symbol
  if (first === undefined || symbol.name.startsWith('__')) return []
  const optional = (symbol.flags & OPTIONAL) !== 0
  const file = first.getSourceFile()
  const library = libraryOf(file.fileName)
  if (library !== undefined) return [{ name: symbol.name, signatures: [inherited(symbol, project)], comment: '', library }]
  const signatures = nodes.map(node => signature(node.getText(node.getSourceFile()), symbol.name, optional))
  return [{ name: symbol.name, signatures, comment: commentOf(first, file), library }]
}

/** The package in `node_modules` that a file is of; the compiler's own declarations are JavaScript's. */
function libraryOf(file: string): string | undefined {
  const at = file.lastIndexOf('/node_modules/')
  if (at < 0) return undefined
  if (/\/lib(\.[a-z0-9.]+)?\.d\.ts$/.test(file) && file.includes('/@typescript/')) return 'JavaScript'
  const [scope = '', name] = file.slice(at + '/node_modules/'.length).split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

/** A library's member with its parameters for types filled in, those that are as they would be anyway left out. */
function inherited(symbol: TypeSymbol, { checker }: Project): string {
  const type = checker.typeToString(checker.getTypeOfSymbol(symbol)!, undefined, NO_TRUNCATION)
  const short = type.replaceAll('<unknown, number, number, Version>', '').replaceAll('<ArrayBufferLike>', '').replaceAll(', any, any>', '>')
  return `${symbol.name}: ${short.replace(/(\?: \w+) \| undefined/g, '$1')}`
}

/** A declaration on one line, marked as optional where the whole type makes it so. */
function signature(text: string, name: string, optional: boolean): string {
  const line = text
    .replace(/;$/, '')
    .replace(/\s+/g, ' ')
    .replace(/^readonly /, '')
  return optional && !line.startsWith(`${name}?`) ? line.replace(name, `${name}?`) : line
}

function typesOf(file: SourceFile): TypeText[] {
  return file.statements
    .filter(statement => isInterfaceDeclaration(statement) || isTypeAliasDeclaration(statement))
    .filter(statement => statement.getText(file).startsWith('export '))
    .map(statement => {
      const comment = commentOf(statement, file)
      return {
        name: statement.name.text,
        source: `${comment === '' ? '' : `${comment}\n`}${statement.getText(file).replace(/^export /, '')}`
      }
    })
}

function commentOf(node: Node, file: SourceFile): string {
  return node.jsDoc?.at(-1)?.getText(file) ?? ''
}
