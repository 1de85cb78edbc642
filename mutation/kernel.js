import { mutationOf } from './configuration.js';

export default mutationOf('kernel', [
  'clock',
  'constant-time',
  'duration',
  'errors',
  'fault',
  'stop-request',
  'terminal-text',
  'time-limit',
]);
