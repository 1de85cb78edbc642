// Mantine is written for React. The console runs it on Preact, as the app does: one framework, and a fifth less to load.
import { Fragment } from 'preact';

export * from 'preact/compat';
export { default } from 'preact/compat';

/** Preact has none. The components that use it keep closed content mounted, which the console asks of none. */
export const Activity = Fragment;
