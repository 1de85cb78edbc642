import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { Socket } from 'node:net';
import { expressMessages, startServer } from '../../../src/http/serving/server.ts';

describe('the messages of an Express app', () => {
  it('have the prototypes that Express gives them', () => {
    const app = express();
    const { IncomingMessage, ServerResponse } = expressMessages(app);
    const request = new IncomingMessage(new Socket());
    expect(Object.getPrototypeOf(request)).toBe(app.request);
    expect(Object.getPrototypeOf(new ServerResponse(request))).toBe(app.response);
  });

  it('keep the accessors of Express and their app', async () => {
    const app = express();
    app.get('/there', (request, response) => {
      response
        .status(203)
        .json({ path: request.path, isItsApp: request.app === app && response.app === app });
    });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/there?a=1`);
      expect(answer.status).toBe(203);
      expect(await answer.json()).toEqual({ path: '/there', isItsApp: true });
    } finally {
      await server.close(0);
    }
  });
});
