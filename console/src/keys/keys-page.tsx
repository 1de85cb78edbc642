import { Badge, Button, Code, List, Progress, Text, Title } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { Card, CardList, Facts } from '../design/card.tsx';
import { QueryFailure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { keyTexts } from './key-texts.ts';
import { isRotating, progressOf, type ShownKey, stateOf } from './rotation.ts';

/** Milliseconds between two looks while a rotation is under way. */
const POLL_MS = 15_000;
const COLOURS: Readonly<Partial<Record<ShownKey['state'], string>>> = {
  current: 'green',
  unknown: 'red',
  needed: 'yellow',
  added: 'yellow',
};

/** Shows the keys, and how far a rotation is. Keys are changed at the machine. */
export default function KeysPage(): ReactNode {
  const t = useTexts(keyTexts);
  const report = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => call('/admin/key/list', {}, { signal }),
    refetchInterval: POLL_MS,
  });
  // The count reads all tokens, and may take seconds: it is made on request.
  const [isCountRequested, setCountRequested] = useState(false);
  const counted = useQuery({
    queryKey: ['keys', 'counted', stateOf(report.data)],
    queryFn:
      isCountRequested && report.data !== undefined
        ? ({ signal }) => call('/admin/key/list', { count: '1' }, { signal })
        : skipToken,
    refetchInterval: ({ state }) => (isRotating(state.data ?? []) ? POLL_MS : false),
  });
  return (
    <Page title={t.title} lead={t.lead}>
      {report.error === null && <QueryFailure query={counted} />}
      <Loaded query={report}>{(shown) => <Report keys={counted.data ?? shown} />}</Loaded>
      <div role="status">{counted.data !== undefined && t.counted}</div>
      <div>
        <Button
          variant="default"
          loading={counted.isLoading}
          onClick={() => {
            setCountRequested(true);
            if (isCountRequested) {
              void counted.refetch();
            }
          }}
        >
          {t.count}
        </Button>
      </div>
      <Change />
    </Page>
  );
}

function Report({ keys }: { readonly keys: readonly ShownKey[] }): ReactNode {
  const t = useTexts(keyTexts);
  const progress = progressOf(keys);
  return (
    <>
      {keys.length === 0 ? (
        <Text>{t.none}</Text>
      ) : (
        <CardList label={t.keys}>
          {keys.map((key) => (
            <KeyCard key={key.key_id} shown={key} />
          ))}
        </CardList>
      )}
      {progress !== undefined && isRotating(keys) && <Rotation {...progress} />}
    </>
  );
}

function KeyCard({ shown }: { readonly shown: ShownKey }): ReactNode {
  const t = useTexts(keyTexts);
  const format = useFormat();
  const {
    key_id: keyId,
    state,
    created_at: added,
    current_since: since,
    retired_at: retired,
    secrets,
  } = shown;
  return (
    <Card
      title={<Code>{keyId}</Code>}
      badges={
        <Badge variant="light" color={COLOURS[state] ?? 'gray'}>
          {t.uses[state]}
        </Badge>
      }
    >
      <Text>{t.explained[state]}</Text>
      <Facts
        facts={[
          [t.secrets, secrets === undefined ? t.notCounted : format.number(secrets)],
          added === undefined ? null : [t.added, format.time(added)],
          since === undefined ? null : [t.firstUsed, format.time(since)],
          retired === undefined ? null : [t.retired, format.time(retired)],
        ]}
      />
    </Card>
  );
}

function Rotation({ done, all }: { readonly done: number; readonly all: number }): ReactNode {
  const t = useTexts(keyTexts);
  const format = useFormat();
  const text = t.progress(format.number(done), format.number(all));
  return (
    <div>
      <Text>{text}</Text>
      <Progress value={(done / all) * 100} aria-label={text} mt="xs" />
    </div>
  );
}

function Change(): ReactNode {
  const t = useTexts(keyTexts);
  return (
    <section>
      <Title order={2} size="h4">
        {t.change}
      </Title>
      <Text>{t.changeWhy}</Text>
      <List type="ordered" mt="xs">
        {t.steps.map(([command, meaning]) => (
          <List.Item key={command}>
            <Code>{command}</Code> {meaning}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
