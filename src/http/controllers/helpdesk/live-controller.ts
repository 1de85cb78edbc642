import { z } from 'zod';
import type {
  LiveLogin,
  LiveReader,
  LiveSnapshot,
  LiveStreams,
} from '../../../monitoring/live/live-streams.ts';
import { inEveryDialect } from '../../answers.ts';
import { notAuthenticated } from '../../authentication/credentials.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { EventChannel } from '../../event-channel.ts';
import type { Guards } from '../../limits/guards.ts';
import { overviewObject } from './overview-object.ts';

/** Milliseconds after which browsers come back. */
const RETRY_MS = 2_000;

/** @returns the endpoint that tells browsers of changes of the overview */
export function liveEndpoint(live: LiveStreams, guard: Guards['streams']): Endpoint {
  const textOf = snapshotTexts();
  return administratorEndpoint(
    {
      path: '/admin/live',
      methods: ['GET'],
      summary: 'changes of /admin/overview as events, for browsers: takes the cookie of a login',
      requires: 'credential',
      answers: inEveryDialect({
        others: [
          {
            contentType: 'text/event-stream',
            meaning:
              'events: `overview` with the value of /admin/overview, at once and after a change; `unavailable` while it cannot be read; `alive` every 15 seconds; `signed-out` as the last one, when the login has ended',
            headers: { 'X-Accel-Buffering': 'no' },
          },
        ],
      }),
      family: 'linotp2',
      usage: 'admin/live: tell changes of the overview.',
      changesState: false,
      parameters: z.object({}),
    },
    ({ caller, login }) => {
      if (login === undefined) {
        throw notAuthenticated('login', caller.principal.administrator);
      }
      return {
        status: 200,
        events: { headers: {}, open: () => Promise.resolve(openStream({ caller, session: login })) },
      };
    },
  );

  function openStream(login: LiveLogin): { begin: (channel: EventChannel) => void; left: () => void } {
    const free = guard.admit(login.caller.principal.administrator);
    let leave = (): void => undefined;
    return {
      begin: (channel) => {
        channel.send(`retry: ${RETRY_MS}\n\n`);
        leave = live.open(login, readerOf(channel, textOf));
      },
      left: () => {
        leave();
        free();
      },
    };
  }
}

function readerOf(channel: EventChannel, textOf: (snapshot: LiveSnapshot) => string): LiveReader {
  return {
    get isReady() {
      return channel.isReady;
    },
    show: (snapshot) => {
      channel.send(textOf(snapshot));
    },
    unavailable: () => {
      channel.send('event: unavailable\ndata: {}\n\n');
    },
    heartbeat: () => {
      // The comment is for proxies, the event for pages, which see no comments.
      channel.send(': heartbeat\nevent: alive\ndata: {}\n\n');
    },
    end: (end) => {
      if (end === 'stalled') {
        channel.cutOff();
      } else {
        channel.end(end === 'signed out' ? 'event: signed-out\ndata: {}\n\n' : '');
      }
    },
  };
}

/** @returns a function that writes each snapshot once, for all of its readers */
function snapshotTexts(): (snapshot: LiveSnapshot) => string {
  const texts = new WeakMap<LiveSnapshot, string>();
  return (snapshot) => {
    const text =
      texts.get(snapshot) ??
      `id: ${snapshot.id}\nevent: overview\ndata: ${JSON.stringify(overviewObject(snapshot.overview))}\n\n`;
    texts.set(snapshot, text);
    return text;
  };
}
