import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import express from 'express';
import * as pages from './pages.js';

/**
 * A log-in with name and password, in place of the one that a portal has. What follows has `request.session`.
 * @param users passwords by name
 */
export function createLogIn(users) {
  const sessions = new Map();
  const router = express.Router();

  router.get('/login', (_request, response) => response.send(pages.login()));

  router.post('/login', ({ body, secure }, response) => {
    const { user = '', password = '' } = body ?? {};
    if (!isSame(password, users.get(user) ?? randomUUID())) {
      return response.status(401).send(pages.login('Name or password is wrong.'));
    }
    const id = randomUUID();
    sessions.set(id, { user, serial: `PORTAL-${user}` });
    response.cookie('portal', id, { httpOnly: true, sameSite: 'lax', secure });
    response.redirect(303, '/');
  });

  router.use((request, response, next) => {
    request.sessionId = /(?:^|; )portal=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
    request.session = sessions.get(request.sessionId);
    if (request.session !== undefined) {
      return next();
    }
    // A log-in page is no answer to the component.
    const asksForJson = request.accepts(['html', 'json']) === 'json';
    return asksForJson ? response.status(401).json({}) : response.redirect(303, '/login');
  });

  router.post('/logout', ({ sessionId }, response) => {
    sessions.delete(sessionId);
    response.clearCookie('portal').redirect(303, '/login');
  });
  return router;
}

function isSame(given, expected) {
  const [left, right] = [given, expected].map((text) => createHash('sha256').update(String(text)).digest());
  return timingSafeEqual(left, right);
}
