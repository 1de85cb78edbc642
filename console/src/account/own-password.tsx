import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { Failure } from '../design/failure.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { useTexts } from '../language/language.ts';
import { useSessionControl } from '../session/session.tsx';
import { accountTexts } from './account-texts.ts';
import { Section } from './section.tsx';
import classes from './section.module.css';

/** Changes the caller's password, which takes a confirmed login. */
export function OwnPassword(): ReactNode {
  const t = useTexts(accountTexts);
  const { left } = useSessionControl();
  const { run, dialog } = useConfirmation();
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const change = useMutation({
    mutationFn: () => run(() => call('/admin/password', { password: present, new_password: next })),
    onSuccess: left,
    gcTime: 0,
  });
  const differs = again !== '' && again !== next;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (again === next) {
      change.mutate();
    }
  };
  return (
    <Section title={t.password} lead={t.passwordLead}>
      <form className={classes.form} onSubmit={submit}>
        <SecretField
          label={t.present}
          autoComplete="current-password"
          value={present}
          onChange={setPresent}
        />
        <SecretField label={t.next} autoComplete="new-password" value={next} onChange={setNext} />
        <SecretField
          label={t.again}
          autoComplete="new-password"
          value={again}
          error={differs ? t.differ : undefined}
          onChange={setAgain}
        />
        <Failure error={change.error} />
        <Button type="submit" loading={change.isPending}>
          {t.change}
        </Button>
      </form>
      {dialog}
    </Section>
  );
}
