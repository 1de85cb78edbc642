import { mutationOf } from './configuration.js';

export default mutationOf('accounts/policy', [
  'policy',
  'access-control',
  'api-token-rights',
  'linear-pattern',
]);
