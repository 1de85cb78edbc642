import { Alert, Badge, Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import classes from './audit.module.css';
import { verificationTexts } from './verification-texts.ts';

type Verification = NonNullable<ValueOf<'/admin/audit/verification'>['verification']>;

/** A verification in words: its progress, or what was checked, until when, and what was found. */
export function VerificationResult({ verification }: { readonly verification: Verification }): ReactNode {
  const t = useTexts(verificationTexts);
  const format = useFormat();
  const {
    begun_by: begunBy,
    begun_at: begun,
    ended_at: ended,
    expected_checkpoint: checkpoint,
  } = verification;
  return (
    <>
      <div role="status" className={classes.part}>
        <Outcome verification={verification} />
      </div>
      <p className={classes.note}>
        {t.begunBy(begunBy, format.time(begun))}
        {ended !== null && `. ${t.ended(format.time(ended))}.`}
      </p>
      {checkpoint !== '' && <p className={classes.note}>{t.required(checkpoint)}</p>}
      {verification.listed_findings.length > 0 && <Findings verification={verification} />}
    </>
  );
}

function Outcome({ verification }: { readonly verification: Verification }): ReactNode {
  const t = useTexts(verificationTexts);
  const format = useFormat();
  const { state, rows, total_rows: all, checkpoints, findings, begun_at: begun, reason } = verification;
  switch (state) {
    case 'running':
      return (
        <>
          <strong>{t.running}</strong>
          <Progress value={all === 0 ? 0 : (100 * rows) / all} aria-label={t.running} />
          <span>{t.progress(format.number(rows), format.number(all))}</span>
        </>
      );
    case 'failed':
      return (
        <Alert color="red" title={t.failed} role="presentation">
          {reason}
        </Alert>
      );
    case 'interrupted':
      return (
        <Alert color="yellow" role="presentation">
          {t.interrupted}
        </Alert>
      );
    case 'finished':
      return (
        <Alert
          color={findings === 0 ? 'green' : 'red'}
          role="presentation"
          title={findings === 0 ? t.sound : t.unsound(findings, format.number(findings))}
        >
          <p className={classes.plain}>
            {t.checked(format.number(rows), format.number(checkpoints), format.time(begun))}
          </p>
          {findings === 0 && <p className={classes.plain}>{t.meant}</p>}
        </Alert>
      );
  }
}

function Findings({
  verification: { listed_findings: listed, findings },
}: {
  readonly verification: Verification;
}): ReactNode {
  const t = useTexts(verificationTexts);
  const format = useFormat();
  return (
    <section className={classes.part}>
      <h2 className={classes.heading}>{t.findings}</h2>
      <ul className={classes.rows}>
        {listed.map((finding, place) => (
          <li key={place} className={classes.finding}>
            <Badge color="red" variant="light">
              {t.kinds[finding.kind]}
            </Badge>{' '}
            {finding.target === 'row' ? t.row(finding) : t.oneCheckpoint(finding)}
            {finding.at !== null && `, ${finding.at}`}
            {`: ${finding.reason}`}
          </li>
        ))}
      </ul>
      {findings > listed.length && (
        <p className={classes.note}>{t.moreFindings(format.number(findings - listed.length))}</p>
      )}
    </section>
  );
}
