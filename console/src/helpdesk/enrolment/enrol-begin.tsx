import { Alert, Button, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { Failure } from '../../design/failure.tsx';
import { useTexts } from '../../language/language.ts';
import { AnswerAddress } from '../../policies/answer-address.tsx';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import { beginPhase1, type EnrolTarget, makePlain, namesOf, type Stage } from './roll-out.ts';
import { NewPinFields, NO_PIN } from '../new-pin-fields.tsx';
import { useTokenAct } from '../use-token-act.ts';

interface BeginProps {
  readonly target: EnrolTarget;
  readonly onStage: (stage: Stage) => void;
}

/** The first step: the kind of the token, and what is set with it. */
export function EnrolBegin({ target, onStage }: BeginProps): ReactNode {
  const t = useTexts(enrolTexts);
  const [kind, setKind] = useState('app');
  const [description, setDescription] = useState('');
  const [typed, setTyped] = useState(NO_PIN);
  const begin = useTokenAct(
    () => (kind === 'app' ? beginPhase1 : makePlain)(target, { description, pin: typed.pin }),
    onStage,
  );
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (typed.pin === typed.again) {
      begin.mutate();
    }
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <Radio.Group label={t.kind} value={kind} onChange={setKind}>
        <Stack gap="xs" mt="xs">
          <Radio value="app" label={t.app} description={t.appHelp} />
          <Radio value="plain" label={t.plain} description={t.plainHelp} />
        </Stack>
      </Radio.Group>
      <TextInput
        label={t.description}
        autoComplete="off"
        value={description}
        onChange={(event) => {
          setDescription(event.currentTarget.value);
        }}
      />
      <NewPinFields label={t.pin} isOptional value={typed} onChange={setTyped} />
      {kind === 'app' && <AddressWarning target={target} />}
      {target.kind === 'token' && <Alert color="yellow">{t.oldKeyEnds}</Alert>}
      <Failure error={begin.error} />
      <Button type="submit" loading={begin.isPending}>
        {kind === 'app' ? t.start : t.makeKey}
      </Button>
    </form>
  );
}

/** Tells before the first QR code that the app would have no address for its response. */
function AddressWarning({ target }: Pick<BeginProps, 'target'>): ReactNode {
  const t = useTexts(enrolTexts);
  const { data } = useQuery({
    queryKey: ['helpdesk', 'answer-address', target],
    queryFn: ({ signal }) => call('/admin/answeraddress', namesOf(target), { signal }),
    staleTime: 0,
  });
  if (data === undefined || data.values === 1) {
    return null;
  }
  return (
    <Alert color="yellow" role="status" title={data.values === 0 ? t.addressMissing : t.addressesDiffer}>
      {data.realm === null ? (
        <p>{t.addressByPolicies}</p>
      ) : (
        <AnswerAddress realm={data.realm} proposed={data.proposed} />
      )}
    </Alert>
  );
}
