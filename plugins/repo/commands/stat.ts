import { repoStat } from '../stat.ts'

export const stat = repoStat('repo/stat')
