import { mutationOf } from './configuration.js';

export default mutationOf('ocra', [
  'ocra',
  'challenge',
  'calculation',
  'enrolment',
  'spent-responses',
  'rfc6287',
  'linotp-questions',
  'linotp-responses',
  'linotp-rollout',
  'linotp-suites',
  'linotp-urls',
  'linotp-windows',
]);
