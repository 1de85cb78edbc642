import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import express from 'express';
import { createLogIn } from './log-in.js';
import * as pages from './pages.js';
import { Payments } from './payments.js';
import { refuseOtherOrigins, setHeaders } from './safety.js';

const HERE = import.meta.dirname;
/** The states of a payment, as the component knows them; the others have expired for it. */
const SHOWN_STATES = { paid: 'accepted', open: 'open', declined: 'declined', reported: 'declined' };

/**
 * @param tankeeper the connection of tankeeper.js
 * @param users passwords by name
 * @param appUrl where users open the app
 */
export function createPortal({ tankeeper, users, appUrl }) {
  const payments = new Payments(tankeeper);
  // A proxy on this machine may end TLS.
  const app = express().disable('x-powered-by').set('trust proxy', 'loopback');
  app.use(setHeaders, express.static(join(HERE, 'public')));
  // Copy the file tankeeper-challenge.js to the portal's own files.
  app.use(express.static(join(HERE, '../../dist/app/component')));
  app.use(refuseOtherOrigins, express.urlencoded({ extended: false, limit: '10kb' }));
  app.use(createLogIn(users));

  app.get('/', async ({ session: { user, serial } }, response) => {
    if ((await tankeeper.rollout(serial)) !== 'complete') {
      return response.redirect(303, '/enrol');
    }
    // Also settles what was confirmed while no page was open; a webhook tells the portal at once.
    const settled = payments.ofUser(user).map(async (one) => ({ ...one, ...(await payments.settle(one)) }));
    response.send(pages.home({ user, payments: await Promise.all(settled), order: randomUUID() }));
  });

  // The roll-out of the app.
  app.get('/enrol', async ({ session }, response) => {
    const phase = await tankeeper.rollout(session.serial);
    if (phase === 'complete') {
      return response.redirect(303, '/');
    }
    // After three wrong responses in phase 2 the token is in phase 1 again.
    const step = session.step?.phase === phase ? session.step : undefined;
    response.send(pages.rollout({ step, appUrl }));
  });

  app.post('/enrol', async ({ session, body }, response) => {
    // Whoever has the password alone must not replace the app of the user.
    if ((await tankeeper.rollout(session.serial)) !== 'complete') {
      session.step =
        body?.phase === '2'
          ? { phase: 'phase2', ...(await tankeeper.finishRollout(session.serial)) }
          : { phase: 'phase1', ...(await tankeeper.startRollout(session.user, session.serial)) };
    }
    response.redirect(303, '/enrol');
  });

  // Phase 1 and another session have no challenge here.
  app.use('/enrol/status', ({ session }, response, next) =>
    session.step?.transaction ? next() : response.status(404).json({}),
  );
  app.get('/enrol/status', async ({ session, query }, response) => {
    response.json(await rolloutStatus(session, query));
  });
  app.post('/enrol/status', async ({ session, body }, response) => {
    await tankeeper.check(session.step.transaction, body?.response ?? '');
    response.json(await rolloutStatus(session));
  });

  async function rolloutStatus({ step }, query) {
    const { accepted, closed, declined, failcount } = await tankeeper.status(step.transaction, waitOf(query));
    return { state: accepted ? 'accepted' : declined ? 'declined' : closed ? 'expired' : 'open', failcount };
  }

  // Payments.
  app.post('/payments', async ({ session, body }, response) => {
    const order = readOrder(body);
    if (order === undefined) {
      return response.status(400).send(pages.message('Please give an amount and a name.'));
    }
    await payments.start(session.user, order);
    response.redirect(303, `/payments/${order.id}`);
  });

  app.param('id', (request, response, next, id) => {
    request.payment = payments.find(request.session.user, id);
    return request.payment ? next() : next('route');
  });

  app.get('/payments/:id', async ({ payment }, response) => {
    const { state } = await payments.settle(payment);
    response.send(pages.payment({ payment, state, challenge: await payment.challenge, appUrl }));
  });

  app.get('/payments/:id/status', async ({ payment, query }, response) => {
    response.json(await paymentStatus(payment, query));
  });
  app.post('/payments/:id/status', async ({ payment, body }, response) => {
    const { transaction } = await payment.challenge;
    await tankeeper.check(transaction, body?.response ?? '');
    response.json(await paymentStatus(payment));
  });

  async function paymentStatus(payment, query) {
    const { state, failcount } = await payments.settle(payment, waitOf(query));
    return { state: SHOWN_STATES[state] ?? 'expired', failcount };
  }

  app.use((_request, response) => response.status(404).send(pages.message('There is no such page.')));
  app.use((error, _request, response, _next) => {
    console.error(`portal: ${error.message}`);
    response
      .status(error.status ?? 502)
      .send(pages.message('This does not work now. Please try again later.'));
  });
  return app;
}

/** The portal passes on the one wait that the component asks for. */
const waitOf = (query) => (query?.wait === '20S' ? '20S' : '0');

/** @returns undefined unless it is whole; the payee is a plain text, which the app can show faithfully */
function readOrder(body) {
  const { order: id = '', amount = '', payee = '' } = body ?? {};
  const isPayee = /^\p{L}[\p{L}\p{N} .'-]{0,49}$/u.test(payee);
  const isWhole = /^[\da-f-]{36}$/.test(id) && /^[1-9]\d{0,5}$/.test(amount) && isPayee;
  return isWhole ? { id, amount, payee } : undefined;
}
