import { Alert, Anchor, Button, Group, List, Progress, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { designTexts } from '../../design/design-texts.ts';
import { Dialog, DialogBoundary } from '../../design/dialog.tsx';
import { Failure } from '../../design/failure.tsx';
import { useFailureLine } from '../../design/failure-words.ts';
import { useFormat } from '../../language/format.ts';
import { useTexts } from '../../language/language.ts';
import { useSession } from '../../session/session.tsx';
import { tokenAddress } from '../addresses.ts';
import { RealmSelect } from '../realm-select.tsx';
import { type BulkAct, foresee, type Foresight, isDangerous, type ListedToken } from './bulk-foresight.ts';
import type { BulkResult } from './bulk-run.ts';
import { bulkTexts } from './bulk-texts.ts';
import { type Collect, MAX_BULK, TooManyTokens } from './collect.ts';
import { type BulkRun, useBulkRun } from './use-bulk-run.ts';

interface BulkDialogProps {
  readonly act: BulkAct;
  readonly collect: Collect;
  /** Called when tokens were changed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Failures that are listed. */
const MAX_LISTED = 100;

/**
 * Acts on many tokens, also after their page was left: reads them, tells what follows, acts on each, and tells which
 * were not changed and why. What it shows may be put aside, or fail: the run goes on.
 */
export function BulkDialog({ act, collect, onDone, onClose }: BulkDialogProps): ReactNode {
  const t = useTexts(bulkTexts);
  const [realm, setRealm] = useState('');
  const [read, setRead] = useState(0);
  // Another dialog of the same act has tokens of its own.
  const id = useId();
  const tokens = useQuery({
    queryKey: ['bulk', act, id],
    queryFn: ({ signal }) => collect(signal, setRead),
    staleTime: Infinity,
    gcTime: 0,
  });
  const run = useBulkRun(act, realm, tokens.data ?? [], { onDone, onClose });
  useLeaveQuestion(run.ended !== undefined || run.result !== undefined);
  return (
    <DialogBoundary
      title={t.titles[act]}
      report={<PlainReport act={act} run={run} />}
      onClose={run.ended === undefined ? onClose : undefined}
    >
      <BulkSteps
        act={act}
        tokens={tokens}
        read={read}
        realm={realm}
        onRealm={setRealm}
        run={run}
        onClose={onClose}
      />
    </DialogBoundary>
  );
}

interface BulkStepsProps {
  readonly act: BulkAct;
  readonly tokens: UseQueryResult<readonly ListedToken[]>;
  /** The number of tokens that were read. */
  readonly read: number;
  readonly realm: string;
  readonly onRealm: (realm: string) => void;
  readonly run: BulkRun;
  readonly onClose: () => void;
}

function BulkSteps({ act, tokens, read, realm, onRealm, run, onClose }: BulkStepsProps): ReactNode {
  const t = useTexts(bulkTexts);
  const session = useSession();
  const [isAside, setAside] = useState(false);
  const putAside = (): void => {
    setAside(true);
  };
  const { result, ended } = run;
  const isAsking = ended === undefined && result === undefined;
  if (isAside) {
    return (
      <AsideRun
        act={act}
        run={run}
        onShow={() => {
          setAside(false);
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={t.titles[act]} closedBy={isAsking ? 'anything' : 'nothing'} onClose={onClose}>
      {tokens.data === undefined && <Reading query={tokens} read={read} onClose={onClose} />}
      {tokens.data !== undefined && isAsking && (
        <Question
          act={act}
          foresight={foresee(act, tokens.data, session, realm)}
          realm={realm}
          onRealm={onRealm}
          onConfirm={run.start}
          onClose={onClose}
        />
      )}
      {ended !== undefined && (
        <Running ended={ended.number} all={ended.all} onStop={run.stop} onAside={putAside} />
      )}
      {ended === undefined && result !== undefined && (
        <Ending act={act} result={result} onAgain={run.start} onAside={putAside} onClose={onClose} />
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
          color={isDangerous(act) ? 'red' : 'blue'}
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
  const { serials, unchanged, unready, lost, forbidden, secondFactors, open, owners, leaving } = foresight;
  const told = (count: number, text: ((count: string) => string) | undefined): string[] =>
    count === 0 || text === undefined ? [] : [text(format.number(count))];
  const withdraws = isDangerous(act);
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
    ...told(lost, t.lost),
    ...told(forbidden, t.forbidden),
  ];
}

const MAX_NAMES = 10;

interface RunningProps {
  readonly ended: number;
  readonly all: number;
  readonly onStop: () => void;
  /** Called where the page below is wanted while the run goes on. */
  readonly onAside: () => void;
}

function Running({ ended, all, onStop, onAside }: RunningProps): ReactNode {
  const t = useTexts(bulkTexts);
  const names = useTexts(designTexts);
  const format = useFormat();
  return (
    <>
      <Text>{t.ended(format.number(ended), format.number(all))}</Text>
      <Progress value={(100 * ended) / all} mt="xs" aria-label={t.progress} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onAside}>
          {t.aside}
        </Button>
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
  /** Called when the page of a token is opened, which the dialog would cover. */
  readonly onAside: () => void;
  readonly onClose: () => void;
}

/** Where not all tokens were changed. */
function Ending({ act, result, onAgain, onAside, onClose }: EndingProps): ReactNode {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  const lineOf = useFailureLine();
  const { failed, left } = result;
  const others = failed.length - MAX_LISTED;
  return (
    <>
      <Alert color="yellow" role="alert">
        {useCounts(act, result, (count) => format.number(count)).map(({ text }) => (
          <p key={text}>{text}</p>
        ))}
      </Alert>
      <List size="sm" mt="md">
        {failed.slice(0, MAX_LISTED).map(({ serial, error }) => (
          <List.Item key={serial}>
            <Anchor
              href={`#${tokenAddress(serial)}`}
              onClick={(event) => {
                if (!opensElsewhere(event)) {
                  onAside();
                }
              }}
            >
              {serial}
            </Anchor>
            : {lineOf(error)}
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

/** @returns true for a click that opens a link in another tab or window */
function opensElsewhere({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey;
}

/** @returns how many tokens have come to what, in sentences, with their serials */
function useCounts(
  act: BulkAct,
  { done, failed, left }: BulkResult,
  number: (count: number) => string,
): readonly { readonly text: string; readonly serials: readonly string[] }[] {
  const t = useTexts(bulkTexts);
  const counts = [
    { words: t.done[act], serials: done },
    { words: t.failed, serials: failed.map(({ serial }) => serial) },
    { words: t.left, serials: left },
  ];
  return counts.flatMap(({ words, serials }) =>
    serials.length === 0 ? [] : [{ text: words(number(serials.length)), serials }],
  );
}

interface AsideRunProps {
  readonly act: BulkAct;
  readonly run: BulkRun;
  readonly onShow: () => void;
  readonly onClose: () => void;
}

/** The way back to a run that was put aside, and to its report, below whatever page is open. */
function AsideRun({ act, run: { ended, result }, onShow, onClose }: AsideRunProps): ReactNode {
  const t = useTexts(bulkTexts);
  const names = useTexts(designTexts);
  const format = useFormat();
  const counts = useCounts(act, result ?? NO_RESULT, (count) => format.number(count));
  return (
    <Group role="group" aria-label={t.titles[act]} p="sm">
      <Text fw={600}>{t.titles[act]}</Text>
      {ended !== undefined && <Text>{t.ended(format.number(ended.number), format.number(ended.all))}</Text>}
      <Text role="status">{ended === undefined && counts.map(({ text }) => text).join(' ')}</Text>
      <Button size="xs" onClick={onShow}>
        {t.show}
      </Button>
      {ended === undefined && (
        <Button size="xs" variant="default" onClick={onClose}>
          {names.close}
        </Button>
      )}
    </Group>
  );
}

const NO_RESULT: BulkResult = { done: [], failed: [], left: [] };

/** What the run has done, and does, where the dialog has failed: by as little as can be that might fail as well. */
function PlainReport({ act, run: { ended, result, stop } }: Pick<AsideRunProps, 'act' | 'run'>): ReactNode {
  const t = useTexts(bulkTexts);
  const names = useTexts(designTexts);
  const counts = useCounts(act, result ?? NO_RESULT, String);
  return (
    <>
      {counts.map(({ text, serials }) => (
        <Text key={text} mt="md">
          {text} {serials.toSorted().join(', ')}
        </Text>
      ))}
      {ended !== undefined && (
        <Group mt="md">
          <Text role="status">{t.ended(String(ended.number), String(ended.all))}</Text>
          <Button variant="default" onClick={stop}>
            {names.stop}
          </Button>
        </Group>
      )}
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
