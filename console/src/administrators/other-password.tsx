import { Alert, Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { Section } from '../account/section.tsx';
import classes from '../account/section.module.css';
import { call } from '../api/call.ts';
import { useConfirmation } from '../confirmation/use-confirmation.tsx';
import { Failure } from '../design/failure.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { useReread } from '../design/use-reread.ts';
import { useTexts } from '../language/language.ts';
import { administratorTexts } from './administrator-texts.ts';

/** Sets the password of another administrator. */
export function OtherPassword({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(administratorTexts);
  const reread = useReread();
  const { run, dialog } = useConfirmation();
  const [password, setPassword] = useState('');
  const [revokes, setRevokes] = useState(false);
  const set = useMutation({
    mutationFn: () =>
      run(() =>
        call('/admin/admin/password', {
          administrator: name,
          password,
          ...(revokes && { revoke_tokens: '1' }),
        }),
      ),
    onSuccess: async () => {
      setPassword('');
      await reread();
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    set.mutate();
  };
  return (
    <Section title={t.passwordTitle} lead={t.passwordLead}>
      <form className={classes.form} onSubmit={submit} autoComplete="off">
        <SecretField
          label={t.newPassword}
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
        />
        <Checkbox
          label={t.revoke}
          checked={revokes}
          onChange={(event) => {
            setRevokes(event.currentTarget.checked);
          }}
        />
        <Failure error={set.error} />
        {set.data !== undefined && (
          <Alert color="green" role="status">
            {t.passwordSet(set.data.api_tokens_left)}
          </Alert>
        )}
        <Button type="submit" loading={set.isPending}>
          {t.setPassword}
        </Button>
      </form>
      {dialog}
    </Section>
  );
}
