import type { DemoServer } from './demo-server.ts';

/** A demo whose server runs. */
export interface RunningDemo {
  readonly server: DemoServer;
  readonly folder: string;
  readonly logFile: string;
  /** The file of the virtual app's tokens. */
  readonly deviceFile: string;
  /** Aborted by a signal to end the demo. */
  readonly requested: AbortSignal;
  readonly exit: boolean;
}
