import { repoStat } from '../../stat.ts'

export const statsRepo = repoStat('stats/repo')
