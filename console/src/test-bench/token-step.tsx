import { Badge, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { Step } from './step.tsx';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';

type FoundToken = ValueOf<'/admin/show'>['tokens'][number];

interface TokenStepProps {
  readonly serial: string | null;
  readonly onChoose: (serial: string | null) => void;
}

/** Chooses a token by serial or user. */
export function TokenStep({ serial, onChoose }: TokenStepProps): ReactNode {
  const t = useTexts(testBenchTexts);
  return (
    <Step title={t.token}>
      {serial === null ? (
        <Search onChoose={onChoose} />
      ) : (
        <div className={classes.line}>
          <strong className={classes.plain}>{t.chosen(serial)}</strong>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              onChoose(null);
            }}
          >
            {t.other}
          </Button>
        </div>
      )}
    </Step>
  );
}

function Search({ onChoose }: Pick<TokenStepProps, 'onChoose'>): ReactNode {
  const t = useTexts(testBenchTexts);
  const maySearch = useSession().may('admin', 'show');
  const [text, setText] = useState('');
  const search = useMutation({
    mutationFn: () => findTokens(text.trim()),
    onSuccess: (found) => {
      const [only] = found;
      if (found.length === 1 && only !== undefined) {
        onChoose(only.serial);
      }
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (maySearch) {
      search.mutate();
    } else {
      onChoose(text.trim());
    }
  };
  return (
    <>
      <form onSubmit={submit} className={classes.step}>
        <TextInput
          label={t.find}
          description={maySearch ? t.findHint : t.findHintSerialOnly}
          value={text}
          required
          withAsterisk={false}
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
        />
        <div className={classes.line}>
          <Button type="submit" variant="default" loading={search.isPending}>
            {t.search}
          </Button>
        </div>
      </form>
      <Failure error={search.error} />
      {search.data !== undefined && <FoundTokens tokens={search.data} onChoose={onChoose} />}
    </>
  );
}

function FoundTokens({
  tokens,
  onChoose,
}: {
  readonly tokens: readonly FoundToken[];
  readonly onChoose: (serial: string) => void;
}): ReactNode {
  const t = useTexts(testBenchTexts);
  if (tokens.length === 0) {
    return <p role="status">{t.nothingFound}</p>;
  }
  return (
    <ul className={classes.list}>
      {tokens.map(({ serial, user, active }) => (
        <li key={serial} className={classes.line}>
          <Button
            variant="light"
            size="xs"
            onClick={() => {
              onChoose(serial);
            }}
          >
            {serial}
          </Button>
          <span className={classes.plain}>{user ?? t.nobody}</span>
          {!active && <Badge color="gray">{t.inactive}</Badge>}
        </li>
      ))}
    </ul>
  );
}

/**
 * @returns the OCRA tokens of that serial, else those of that user
 * @throws ServerFailure
 */
async function findTokens(text: string): Promise<readonly FoundToken[]> {
  const bySerial = await call('/admin/show', { serial: text, pagesize: '20' });
  if (bySerial.tokens.length > 0) {
    return bySerial.tokens;
  }
  try {
    return (await call('/admin/show', { user: text, pagesize: '20' })).tokens;
  } catch (error) {
    // There is no such user.
    if (error instanceof ServerFailure && error.status === 200) {
      return [];
    }
    throw error;
  }
}
