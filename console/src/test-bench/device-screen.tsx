import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OpenChallenge } from '../../../src/device/challenge.ts';
import { inspectDisplayText } from '../../../src/device/display-text.ts';
import { useTexts } from '../language/language.ts';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';

interface DeviceScreenProps {
  readonly challenge: OpenChallenge;
  readonly isSending?: boolean;
  readonly onConfirm: () => void;
  readonly onDecline: () => void;
}

/** The display of the device before there is any response, as the app does: what you see is what you sign. */
export function DeviceScreen({
  challenge,
  isSending = false,
  onConfirm,
  onDecline,
}: DeviceScreenProps): ReactNode {
  const t = useTexts(testBenchTexts);
  const { segments, verdict } = inspectDisplayText(challenge.message);
  return (
    <div className={classes.step}>
      <p className={classes.plain} id="device-shows">
        {t.shows}
      </p>
      <div className={classes.screen} role="group" aria-labelledby="device-shows" dir="auto">
        {segments.length === 0
          ? t.empty
          : segments.map(({ kind, text, name }, place) =>
              kind === 'plain' ? (
                <span key={place}>{text}</span>
              ) : (
                <mark key={place}>{kind === 'look-alike' ? text : name}</mark>
              ),
            )}
      </div>
      {verdict === 'refused' ? (
        <Alert color="red">{t.refusedText}</Alert>
      ) : (
        <p className={classes.note}>{t.confirmFirst}</p>
      )}
      <div className={classes.line}>
        {verdict !== 'refused' && (
          <Button onClick={onConfirm} loading={isSending}>
            {t.confirm}
          </Button>
        )}
        <Button variant="default" onClick={onDecline}>
          {t.decline}
        </Button>
      </div>
    </div>
  );
}
