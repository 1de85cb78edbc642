import { Alert, Anchor, Button, Group, List, Progress, Text } from '@mantine/core';
import { useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { ServerFailure } from '../../api/server-failure.ts';
import { designTexts } from '../../design/design-texts.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Failure } from '../../design/failure.tsx';
import { useFailureLine } from '../../design/failure-words.ts';
import { useTell } from '../../design/notices.tsx';
import { useStop } from '../../design/table-columns.tsx';
import { useReread } from '../../design/use-reread.ts';
import { useFormat } from '../../language/format.ts';
import { useTexts } from '../../language/language.ts';
import { useSession } from '../../session/session.tsx';
import { tokenAddress } from '../addresses.ts';
import { RealmSelect } from '../realm-select.tsx';
import { type BulkAct, foresee, type Foresight } from './bulk-foresight.ts';
import { type BulkResult, runBulk } from './bulk-run.ts';
import { bulkTexts } from './bulk-texts.ts';
import { type Collect, MAX_BULK, TooManyTokens } from './collect.ts';

interface BulkDialogProps {
  readonly act: BulkAct;
  readonly collect: Collect;
  /** Called when tokens were changed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The acts that are taken back by another one. */
const INVERSES: Readonly<Partial<Record<BulkAct, 'enable' | 'disable'>>> = {
  enable: 'disable',
  disable: 'enable',
};
/** Failures that are listed. */
const MAX_LISTED = 100;

/** Acts on many tokens, also after their page was left: reads them, tells what follows, acts on each, and tells which were not changed and why. */
export function BulkDialog({ act, collect, onDone, onClose }: BulkDialogProps): ReactNode {
  const t = useTexts(bulkTexts);
  const session = useSession();
  const [realm, setRealm] = useState('');
  const [read, setRead] = useState(0);
  const tokens = useQuery({
    queryKey: ['bulk', act],
    queryFn: ({ signal }) => collect(signal, setRead),
    staleTime: Infinity,
    gcTime: 0,
  });
  const run = useBulkRun(act, realm, { onDone, onClose });
  const { result, ended } = run;
  const isAsking = ended === undefined && result === undefined;
  useLeaveQuestion(!isAsking);
  return (
    <Dialog title={t.titles[act]} closedBy={isAsking ? 'anything' : 'nothing'} onClose={onClose}>
      {tokens.data === undefined && <Reading query={tokens} read={read} onClose={onClose} />}
      {tokens.data !== undefined && isAsking && (
        <Question
          act={act}
          foresight={foresee(act, tokens.data, session, realm)}
          realm={realm}
          onRealm={setRealm}
          onConfirm={run.start}
          onClose={onClose}
        />
      )}
      {ended !== undefined && <Running ended={ended.number} all={ended.all} onStop={run.stop} />}
      {ended === undefined && result !== undefined && (
        <Ending act={act} result={result} onAgain={run.start} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** Has the browser ask before it leaves the console: the run would end unseen, or the list of what failed be lost. */
function useLeaveQuestion(isLossy: boolean): void {
  useEffect(() => {
    if (!isLossy) {
      return undefined;
    }
    const ask = (event: BeforeUnloadEvent): void => {
      event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => {
      removeEventListener('beforeunload', ask);
    };
  }, [isLossy]);
}

interface ReadingProps {
  readonly query: Pick<UseQueryResult, 'error' | 'refetch'>;
  readonly read: number;
  readonly onClose: () => void;
}

/** The tokens that are still read, or were not. */
function Reading({ query: { error, refetch }, read, onClose }: ReadingProps): ReactNode {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  return (
    <>
      {error === null && <Text role="status">{t.reading(format.number(read))}</Text>}
      {error instanceof TooManyTokens ? (
        <Alert color="red" role="alert">
          {t.tooMany(format.number(MAX_BULK))}
        </Alert>
      ) : (
        <Failure error={error} onRetry={() => refetch()} />
      )}
      <Ends onClose={onClose} />
    </>
  );
}

interface BulkRun {
  readonly isRunning: boolean;
  /** Of the acts that run; undefined: none do. */
  readonly ended: { readonly number: number; readonly all: number } | undefined;
  /** Undefined: nothing has run yet. */
  readonly result: BulkResult | undefined;
  readonly start: (serials: readonly string[]) => void;
  readonly stop: () => void;
}

function useBulkRun(
  act: BulkAct,
  realm: string,
  { onDone, onClose }: Pick<BulkDialogProps, 'onDone' | 'onClose'>,
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
      const outcome = await runBulk({ serials, act: send(act, realm), signal: begin(), onProgress, pause });
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
      const inverse = back !== undefined && session.may('admin', back) ? back : undefined;
      tell({
        text: t.done[act](format.number(done.length)),
        undo: inverse && {
          act: () => takeBack(inverse, done),
          done: t.done[inverse](format.number(done.length)),
        },
      });
      onDone();
      onClose();
    }
  };
  return { isRunning: running.isPending, ended, result, start: running.mutate, stop };
}

function send(act: BulkAct, realm: string): (serial: string) => Promise<unknown> {
  return (serial) =>
    act === 'tokenrealm'
      ? call('/admin/tokenrealm', { serial, realms: realm })
      : call(`/admin/${act}`, { serial });
}

async function takeBack(act: 'enable' | 'disable', serials: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  const { failed } = await runBulk({
    serials,
    act: send(act, ''),
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

interface QuestionProps {
  readonly act: BulkAct;
  readonly foresight: Foresight;
  readonly realm: string;
  readonly onRealm: (realm: string) => void;
  readonly onConfirm: (serials: readonly string[]) => void;
  readonly onClose: () => void;
}

function Question({ act, foresight, realm, onRealm, onConfirm, onClose }: QuestionProps): ReactNode {
  const t = useTexts(bulkTexts);
  const isAsking = act === 'tokenrealm' && realm === '';
  const { serials, secondFactors } = foresight;
  const consequences = useConsequences(act, foresight);
  return (
    <>
      {act === 'tokenrealm' && (
        <RealmSelect right="tokenrealm" none={t.realm} value={realm} onChange={onRealm} />
      )}
      {!isAsking && (
        <Alert mt="md" color={secondFactors.length > 0 && act !== 'reset' ? 'red' : 'yellow'} role="status">
          <List size="sm">
            {consequences.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Text size="sm" mt="md">
        {t.separate}
      </Text>
      <Ends onClose={onClose}>
        <Button
          color={act === 'disable' || act === 'unassign' ? 'red' : 'blue'}
          disabled={isAsking || serials.length === 0}
          onClick={() => {
            onConfirm(serials);
          }}
        >
          {t.acts[act]}
        </Button>
      </Ends>
    </>
  );
}

/** @returns what follows, in sentences */
function useConsequences(act: BulkAct, foresight: Foresight): readonly string[] {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  const { serials, unchanged, unready, forbidden, secondFactors, open, owners, leaving } = foresight;
  const told = (count: number, text: ((count: string) => string) | undefined): string[] =>
    count === 0 || text === undefined ? [] : [text(format.number(count))];
  const withdraws = act === 'disable' || act === 'unassign';
  const factors = act === 'enable' || act === 'reset' ? [] : secondFactors;
  const others = factors.length - MAX_NAMES;
  const named = [...factors.slice(0, MAX_NAMES), ...told(Math.max(0, others), t.more)].join(', ');
  return [
    ...(serials.length === 0 ? [t.nothing] : told(serials.length, t.changes[act])),
    ...(withdraws ? told(owners, t.owners) : []),
    ...(factors.length === 0 ? [] : [t.secondFactors(named)]),
    ...(open === null ? [t.openUnknown[act] ?? ''].filter((text) => text !== '') : told(open, t.open[act])),
    ...(act === 'tokenrealm' ? told(leaving, t.leaving) : []),
    ...told(unchanged, t.unchanged[act]),
    ...told(unready, t.unready),
    ...told(forbidden, t.forbidden),
  ];
}

const MAX_NAMES = 10;

interface RunningProps {
  readonly ended: number;
  readonly all: number;
  readonly onStop: () => void;
}

function Running({ ended, all, onStop }: RunningProps): ReactNode {
  const t = useTexts(bulkTexts);
  const names = useTexts(designTexts);
  const format = useFormat();
  return (
    <>
      <Text>{t.ended(format.number(ended), format.number(all))}</Text>
      <Progress value={(100 * ended) / all} mt="xs" aria-label={t.progress} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" data-autofocus onClick={onStop}>
          {names.stop}
        </Button>
      </Group>
    </>
  );
}

interface EndingProps {
  readonly act: BulkAct;
  readonly result: BulkResult;
  readonly onAgain: (serials: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Where not all tokens were changed. */
function Ending({ act, result: { done, failed, left }, onAgain, onClose }: EndingProps): ReactNode {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  const lineOf = useFailureLine();
  const others = failed.length - MAX_LISTED;
  return (
    <>
      <Alert color="yellow" role="alert">
        {done.length > 0 && <p>{t.done[act](format.number(done.length))}</p>}
        {failed.length > 0 && <p>{t.failed(format.number(failed.length))}</p>}
        {left.length > 0 && <p>{t.left(format.number(left.length))}</p>}
      </Alert>
      <List size="sm" mt="md">
        {failed.slice(0, MAX_LISTED).map(({ serial, error }) => (
          <List.Item key={serial}>
            <Anchor href={`#${tokenAddress(serial)}`}>{serial}</Anchor>: {lineOf(error)}
          </List.Item>
        ))}
        {others > 0 && <List.Item>{t.more(format.number(others))}</List.Item>}
      </List>
      <Ends isOver onClose={onClose}>
        <Button
          onClick={() => {
            onAgain([...failed.map(({ serial }) => serial), ...left]);
          }}
        >
          {t.again}
        </Button>
      </Ends>
    </>
  );
}

interface EndsProps {
  readonly isOver?: boolean;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

function Ends({ isOver = false, onClose, children }: EndsProps): ReactNode {
  const t = useTexts(designTexts);
  return (
    <Group justify="flex-end" mt="md">
      <Button variant="default" onClick={onClose}>
        {isOver ? t.close : t.cancel}
      </Button>
      {children}
    </Group>
  );
}
