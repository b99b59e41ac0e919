import { type Channel, channel } from 'node:diagnostics_channel'

/**
 * Told of memory outside of V8's heap that is taken for a short time, by its size in bytes, where there is much of it: the blocks that are
 * read, and what goes to peers and comes from them. Whoever owns the process may listen, and collect garbage before too much of it gathers;
 * V8 by itself lets 64 MiB and more gather.
 */
export const takenMemory: Channel = channel('holdfast.memory.taken')
