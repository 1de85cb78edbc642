/** The paths that monitoring systems request many times a minute. */
export const OPERATIONS_PATHS = {
  health: '/healthz',
  startup: '/startupz',
  readiness: '/readyz',
  metrics: '/metrics',
} as const;
