import type { Express } from 'express';
import request from 'supertest';

/** Every way to send parameters. */
export const METHODS = ['GET', 'POST form', 'POST JSON', 'POST multipart', 'POST query'] as const;
export type SendMethod = (typeof METHODS)[number];

/** @returns the request, not sent yet */
export function sendBy(
  method: SendMethod,
  app: Express,
  path: string,
  parameters: Readonly<Record<string, string>>,
): request.Test {
  switch (method) {
    case 'GET':
      return request(app).get(path).query(parameters);
    case 'POST query':
      return request(app).post(path).query(parameters);
    case 'POST form':
      return request(app).post(path).type('form').send(parameters);
    case 'POST JSON':
      return request(app).post(path).send(parameters);
    case 'POST multipart':
      return Object.entries(parameters).reduce(
        (sent, [name, value]) => sent.field(name, value),
        request(app).post(path),
      );
  }
}
