import { Alert, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { FormDialog } from '../design/form-dialog.tsx';
import { useTexts } from '../language/language.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { tokenTexts } from './token-texts.ts';
import { useTokenAct } from './use-token-act.ts';

interface ResyncProps {
  readonly token: HelpdeskToken;
  readonly onClose: () => void;
}

const EMPTY = { otp1: '', otp2: '', challenge1: '', challenge2: '' };

/** Resynchronises a token by two responses. */
export function ResyncDialog({ token: { serial, type }, onClose }: ResyncProps): ReactNode {
  const t = useTexts(tokenTexts);
  const [form, setForm] = useState(EMPTY);
  const change = useTokenAct(() => call('/admin/resync', { serial, ...withoutBlanks(form) }));
  const isDone = change.data === true;
  const isOtp = ['hmac', 'totp'].includes(type);
  const words = isOtp ? t.resyncOtp : t.resync;
  const field = (name: keyof typeof EMPTY, label: string, isRequired: boolean): ReactNode => (
    <TextInput
      label={label}
      required={isRequired}
      withAsterisk={false}
      autoComplete="off"
      data-autofocus={name === 'otp1' || undefined}
      value={form[name]}
      onChange={(event) => {
        setForm({ ...form, [name]: event.currentTarget.value });
      }}
    />
  );
  return (
    <FormDialog
      title={`${t.actNames.resync}: ${serial}`}
      action={isDone ? t.close : t.actNames.resync}
      isRunning={change.isPending}
      error={change.error}
      onSubmit={isDone ? onClose : change.mutate}
      onClose={onClose}
    >
      {change.data === undefined ? (
        <Text size="sm">{words.help}</Text>
      ) : (
        <Alert role="status" color={isDone ? 'green' : 'red'}>
          {isDone ? words.done : words.failed}
        </Alert>
      )}
      {!isDone && (
        <>
          {field('otp1', t.first, true)}
          {field('otp2', t.second, true)}
          {!isOtp && (
            <>
              <Text size="sm">{t.questionHelp}</Text>
              {field('challenge1', t.question1, false)}
              {field('challenge2', t.question2, false)}
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

function withoutBlanks({ challenge1, challenge2, ...responses }: typeof EMPTY): typeof responses & {
  readonly challenge1?: string;
  readonly challenge2?: string;
} {
  return challenge1 === '' && challenge2 === '' ? responses : { ...responses, challenge1, challenge2 };
}
