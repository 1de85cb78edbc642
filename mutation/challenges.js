import { mutationOf } from './configuration.js';

export default mutationOf('challenges', ['challenges', 'ocra']);
