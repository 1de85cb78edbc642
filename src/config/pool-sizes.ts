/** Connections of the primary, which serves no requests: its background work, one connection each. */
const PRIMARY = 3;
/** Connections of a worker, by default and at least. */
const WORKER = { usual: 5, min: 2 };
/** Connections of a server that is a single process, by default. */
const SINGLE = 10;

/** The largest numbers of connections to the database of the processes of a server. */
export interface PoolSizes {
  readonly primary: number;
  /** Of each worker. */
  readonly worker: number;
}

/** @returns the connections of all processes together, where DATABASE_POOL_SIZE is unset */
export function usualPoolSize(workers: number): number {
  return workers === 1 ? SINGLE : PRIMARY + workers * WORKER.usual;
}

/** @returns the smallest DATABASE_POOL_SIZE for several workers; none for a single process */
export function minPoolSize(workers: number): number {
  return workers === 1 ? 0 : PRIMARY + workers * WORKER.min;
}

/**
 * Divides the connections of a server among its primary and its workers.
 * @param total the connections of all together, at least `minPoolSize`
 */
export function dividePool(total: number, workers: number): PoolSizes {
  return { primary: PRIMARY, worker: Math.floor((total - PRIMARY) / workers) };
}
