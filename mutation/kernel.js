import { mutationOf } from './configuration.js';

export default mutationOf('kernel', ['kernel']);
