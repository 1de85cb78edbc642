import { mutationOf } from './configuration.js';

export default mutationOf('kernel', [
  'clock',
  'constant-time',
  'duration',
  'errors',
  'fault',
  'terminal-text',
  'time-limit',
]);
