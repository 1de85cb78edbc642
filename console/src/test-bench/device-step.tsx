import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { OpenChallenge } from '../../../src/device/challenge.ts';
import type { ReadyToken } from '../../../src/device/device-token.ts';
import { call } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import type { IssuedChallenge } from './challenge-step.tsx';
import { DeviceEnrolment } from './device-enrolment.tsx';
import { DeviceScreen } from './device-screen.tsx';
import { altered, type ResponseKind } from './explain-answer.ts';
import { Step } from './step.tsx';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';
import { confirmChallenge, readChallenge } from './virtual-device.ts';

interface DeviceStepProps {
  readonly issued: IssuedChallenge | null;
  readonly isSending: boolean;
  readonly onUse: (serial: string) => void;
  readonly onSend: (kind: ResponseKind, response: string) => void;
}

/** A device in the page, which does what the app does. */
export function DeviceStep({ issued, isSending, onUse, onSend }: DeviceStepProps): ReactNode {
  const t = useTexts(testBenchTexts);
  const [token, setToken] = useState<ReadyToken | null>(null);
  return (
    <Step title={t.device}>
      <p className={classes.note}>{t.deviceLead}</p>
      {token === null ? (
        <DeviceEnrolment
          onEnrolled={(enrolled) => {
            setToken(enrolled);
            onUse(enrolled.serial);
          }}
        />
      ) : (
        <>
          <HeldToken
            token={token}
            onUse={onUse}
            onRemoved={() => {
              setToken(null);
            }}
          />
          {issued?.serial === token.serial ? (
            <Reading
              key={issued.transactionId}
              token={token}
              code={issued.code}
              isSending={isSending}
              onToken={setToken}
              onSend={onSend}
            />
          ) : (
            <p className={classes.note}>{t.foreign}</p>
          )}
        </>
      )}
    </Step>
  );
}

function HeldToken({
  token: { serial },
  onUse,
  onRemoved,
}: {
  readonly token: ReadyToken;
  readonly onUse: (serial: string) => void;
  readonly onRemoved: () => void;
}): ReactNode {
  const t = useTexts(testBenchTexts);
  const session = useSession();
  const remove = useMutation({
    mutationFn: () => call('/admin/remove', { serial }),
    onSuccess: onRemoved,
  });
  return (
    <>
      <p className={classes.plain} role="status">
        {t.enrolled(serial)}
      </p>
      <Failure error={remove.error} />
      <div className={classes.line}>
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            onUse(serial);
          }}
        >
          {t.use}
        </Button>
        {session.may('admin', 'remove') && (
          <Button
            variant="default"
            size="xs"
            loading={remove.isPending}
            onClick={() => {
              remove.mutate();
            }}
          >
            {t.removeToken}
          </Button>
        )}
      </div>
    </>
  );
}

interface ReadingProps {
  readonly token: ReadyToken;
  readonly code: string;
  readonly isSending: boolean;
  readonly onToken: (token: ReadyToken) => void;
  readonly onSend: (kind: ResponseKind, response: string) => void;
}

/** One challenge on the device: the code is read, its text is confirmed, and then there is a response. */
function Reading({ token, code, isSending, onToken, onSend }: ReadingProps): ReactNode {
  const [opened, setOpened] = useState<OpenChallenge | null>(null);
  const [response, setResponse] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isSent, setSent] = useState(false);
  const attempt = (work: () => void): void => {
    try {
      setError(null);
      work();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
  };
  if (response !== null) {
    return (
      <Response
        response={response}
        isSending={isSending}
        isSent={isSent}
        onSend={(kind, sent) => {
          setSent(isSent || kind === 'device');
          onSend(kind, sent);
        }}
      />
    );
  }
  return (
    <>
      <Failure error={error} />
      {opened === null ? (
        <UnreadCode
          onRead={() => {
            attempt(() => {
              setOpened(readChallenge(token, code));
            });
          }}
        />
      ) : (
        <DeviceScreen
          challenge={opened}
          onConfirm={() => {
            attempt(() => {
              const confirmed = confirmChallenge(opened);
              onToken(confirmed.token);
              setResponse(confirmed.response);
            });
          }}
          onDecline={() => {
            setOpened(null);
          }}
        />
      )}
    </>
  );
}

function UnreadCode({ onRead }: { readonly onRead: () => void }): ReactNode {
  const t = useTexts(testBenchTexts);
  return (
    <>
      <p className={classes.plain}>{t.reads}</p>
      <div className={classes.line}>
        <Button onClick={onRead}>{t.readCode}</Button>
      </div>
    </>
  );
}

interface ResponseProps {
  readonly response: string;
  readonly isSending: boolean;
  readonly isSent: boolean;
  readonly onSend: (kind: ResponseKind, response: string) => void;
}

function Response({ response, isSending, isSent, onSend }: ResponseProps): ReactNode {
  const t = useTexts(testBenchTexts);
  return (
    <>
      <p className={classes.plain}>
        {t.response} <span className={classes.digits}>{response}</span>
      </p>
      <div className={classes.line}>
        <Button
          loading={isSending}
          onClick={() => {
            onSend(isSent ? 'repeated' : 'device', response);
          }}
        >
          {isSent ? t.sendAgain : t.sendResponse}
        </Button>
        <Button
          variant="default"
          disabled={isSending}
          onClick={() => {
            onSend('altered', altered(response));
          }}
        >
          {t.sendAltered}
        </Button>
      </div>
    </>
  );
}
