import { mutationOf } from './configuration.js';

export default mutationOf('ocra', ['ocra', 'challenges']);
