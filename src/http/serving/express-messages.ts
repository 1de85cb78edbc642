import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';

/** The prototypes of the messages of an app. */
export type ExpressPrototypes = Pick<Express, 'request' | 'response'>;

/**
 * Makes the classes of the requests and responses of a server for one app. Express gives each message the prototype of
 * the app; a change of prototype after the construction makes every later access slow. These messages have it from the
 * start.
 */
export function expressMessages(app: ExpressPrototypes): {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response) as Express['response'];
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
