import { type Token, token } from '../../core/index.ts'
import type { ConfiguredFilters } from './addresses/filters.ts'
import type { StreamBandwidth } from './bandwidth.ts'
import type { ConfiguredLimits } from './limits/limits.ts'

/** The filters as the network itself keeps them. */
export const NetworkFilters: Token<ConfiguredFilters> = token<ConfiguredFilters>('network-filters')

/** The meter as the network itself fills it. */
export const NetworkBandwidth: Token<StreamBandwidth> = token<StreamBandwidth>('network-meter')

/** The limits as the network itself asks them. */
export const LimitsOfNetwork: Token<ConfiguredLimits> = token<ConfiguredLimits>('network-configured-limits')
