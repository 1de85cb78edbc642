import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ServerFailure } from '../../api/server-failure.ts';
import { useTell } from '../../design/notices.tsx';
import { useStop } from '../../design/table-columns.tsx';
import { useReread } from '../../design/use-reread.ts';
import { useFormat } from '../../language/format.ts';
import { useTexts } from '../../language/language.ts';
import { useSession } from '../../session/session.tsx';
import { revisionAfter } from '../helpdesk-values.ts';
import type { BulkAct, ListedToken } from './bulk-foresight.ts';
import { type BulkResult, runBulk } from './bulk-run.ts';
import { bulkTexts } from './bulk-texts.ts';

/** The acts that are taken back by another one. */
const INVERSES: Readonly<Partial<Record<BulkAct, 'enable' | 'disable'>>> = {
  enable: 'disable',
  disable: 'enable',
};
/** A run, as it is shown. */
export interface BulkRun {
  readonly isRunning: boolean;
  /** Of the acts that run; undefined: none do. */
  readonly ended: { readonly number: number; readonly all: number } | undefined;
  /** Undefined: nothing has run yet. */
  readonly result: BulkResult | undefined;
  readonly start: (serials: readonly string[]) => void;
  readonly stop: () => void;
}

interface Ends {
  /** Called when all tokens were changed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/**
 * Acts on tokens as they were read; where it is tried again, as they are.
 * @param tokens that were read
 */
export function useBulkRun(
  act: BulkAct,
  realm: string,
  tokens: readonly ListedToken[],
  { onDone, onClose }: Ends,
): BulkRun {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  const tell = useTell();
  const reread = useReread();
  const session = useSession();
  const { begin, stop } = useStop();
  const [ended, setEnded] = useState<BulkRun['ended']>();
  const [result, setResult] = useState<BulkResult>();
  const running = useMutation({
    gcTime: 0,
    mutationFn: async (serials: readonly string[]) => {
      const onProgress = (number: number): void => {
        setEnded({ number, all: serials.length });
      };
      onProgress(0);
      const outcome = await runBulk({
        serials,
        act: send(act, realm, result === undefined ? revisionsOf(tokens) : new Map()),
        signal: begin(),
        onProgress,
        pause,
      });
      const done = [...(result?.done ?? []), ...outcome.done];
      const all = { ...outcome, done };
      setEnded(undefined);
      setResult(all);
      await settle(all);
      const ending = outcome.failed.find(({ error }) => error instanceof ServerFailure && error.isSignedOut);
      if (ending !== undefined) {
        throw ending.error;
      }
    },
  });
  const settle = async ({ done, failed, left }: BulkResult): Promise<void> => {
    if (done.length > 0) {
      await reread(['helpdesk']);
    }
    if (failed.length === 0 && left.length === 0) {
      const back = INVERSES[act];
      const isFirst = result === undefined;
      const inverse = isFirst && back !== undefined && session.may('admin', back) ? back : undefined;
      tell({
        text: t.done[act](format.number(done.length)),
        undo: inverse && {
          act: () => takeBack(inverse, done, revisionsOf(tokens, revisionAfter)),
          done: t.done[inverse](format.number(done.length)),
        },
      });
      onDone();
      onClose();
    }
  };
  return { isRunning: running.isPending, ended, result, start: running.mutate, stop };
}

type Revisions = ReadonlyMap<string, string>;

function revisionsOf(
  tokens: readonly ListedToken[],
  of: (token: ListedToken) => string = ({ revision }) => revision,
): Revisions {
  return new Map(tokens.map((token) => [token.serial, of(token)]));
}

function send(act: BulkAct, realm: string, revisions: Revisions): (serial: string) => Promise<unknown> {
  return (serial) => {
    const revision = revisions.get(serial);
    const seen = revision === undefined ? {} : { revision };
    return act === 'tokenrealm'
      ? call('/admin/token/realms', { serial, realms: realm, ...seen })
      : call(`/admin/token/${act}`, { serials: serial, ...seen });
  };
}

async function takeBack(
  act: 'enable' | 'disable',
  serials: readonly string[],
  revisions: Revisions,
): Promise<void> {
  const { signal } = new AbortController();
  const { failed } = await runBulk({
    serials,
    act: send(act, '', revisions),
    signal,
    onProgress: () => undefined,
    pause,
  });
  if (failed[0] !== undefined) {
    throw failed[0].error;
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
