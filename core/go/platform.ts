const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', loong64: 'loong64', mipsel: 'mipsle' }
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' }

/** This machine as Go names it: `amd64/linux`, `arm64/darwin`. */
export function goPlatform(architecture: string = process.arch, system: string = process.platform): string {
  return `${ARCHITECTURES[architecture] ?? architecture}/${SYSTEMS[system] ?? system}`
}
