import { mutationOf } from './configuration.js';

export default mutationOf('policy', ['policy']);
