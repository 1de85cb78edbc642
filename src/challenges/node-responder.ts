import { createHmac } from 'node:crypto';

import { responder } from '../ocra/compute.ts';
import type { KeyedHmac } from '../ocra/hashes.ts';
import type { Responder } from '../ocra/verify.ts';

const keyedHmac: KeyedHmac = (hash, key) => (data) => createHmac(hash, key).update(data).digest();

/** Prepares the computation of responses as `responder` does, with Node's HMAC, which takes half the time. */
export const nodeResponder: Responder = (suite, key) => responder(suite, key, keyedHmac);
