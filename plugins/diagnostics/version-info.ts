import { goPlatform } from '../../core/go/platform.ts'
import { type Host, versionOfLevel } from '../../core/index.ts'
import { REPO_VERSION } from '../../core/repo/layout.ts'

/** The answer of `version`. */
export function versionOf(host: Pick<Host, 'level' | 'version'>) {
  return {
    Version: versionOfLevel(host.level),
    Commit: `holdfast/${host.version}`,
    Repo: String(REPO_VERSION),
    System: goPlatform(),
    Golang: `node/${process.versions.node}`
  }
}
