import { Button, Code, Paper, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useReread } from '../design/use-reread.ts';
import { useTexts } from '../language/language.ts';
import classes from './audit.module.css';
import { VerificationResult } from './verification-result.tsx';
import { verificationTexts } from './verification-texts.ts';

const KEY = ['audit', 'verification'];
/** Milliseconds between two looks at a running verification, and at one that is over: others may begin one. */
const POLL_MS = { running: 1_000, over: 30_000 };

/** Verifies the audit, and shows the last result. */
export default function VerificationPage(): ReactNode {
  const t = useTexts(verificationTexts);
  const overview = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('/admin/audit/verification', {}, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.verification?.state === 'running' ? POLL_MS.running : POLL_MS.over,
  });
  return (
    <Page title={t.title} lead={t.lead}>
      <BeginForm isRunning={overview.data?.verification?.state === 'running'} />
      <Loaded query={overview}>
        {({ verification, keys }) => (
          <>
            <Paper component="section" withBorder p="md" className={classes.part}>
              {verification === null ? (
                <p className={classes.note}>{t.never}</p>
              ) : (
                <VerificationResult verification={verification} />
              )}
            </Paper>
            <section className={classes.part}>
              <h2 className={classes.heading}>{t.forAuditors}</h2>
              {verification !== null && verification.newest_checkpoint !== '' && (
                <div>
                  <div>{t.newest}</div>
                  <Code className={classes.hash}>{verification.newest_checkpoint}</Code>
                  <p className={classes.note}>{t.newestHint}</p>
                </div>
              )}
              <div>
                <div>{t.key}</div>
                {keys.map((key) => (
                  <div key={key}>
                    <Code className={classes.hash}>{key}</Code>
                  </div>
                ))}
                <p className={classes.note}>{t.keyHint}</p>
              </div>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function BeginForm({ isRunning }: { readonly isRunning: boolean }): ReactNode {
  const t = useTexts(verificationTexts);
  const reread = useReread();
  const [checkpoint, setCheckpoint] = useState('');
  const begin = useMutation({
    mutationFn: () =>
      call('/admin/audit/verify', checkpoint.trim() === '' ? {} : { checkpoint: checkpoint.trim() }),
    onSuccess: () => reread(KEY),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    begin.mutate();
  };
  return (
    <form onSubmit={submit} className={classes.part}>
      <details>
        <summary>{t.withCheckpoint}</summary>
        <TextInput
          label={t.checkpoint}
          description={t.checkpointHint}
          value={checkpoint}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setCheckpoint(event.currentTarget.value);
          }}
        />
      </details>
      <Failure error={begin.error} />
      <div>
        <Button type="submit" loading={begin.isPending} disabled={isRunning}>
          {t.begin}
        </Button>
      </div>
    </form>
  );
}
