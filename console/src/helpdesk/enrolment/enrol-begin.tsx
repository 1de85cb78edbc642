import { Alert, Button, Checkbox, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { Failure } from '../../design/failure.tsx';
import { SecretField } from '../../design/secret-field.tsx';
import { useTexts } from '../../language/language.ts';
import { AnswerAddress } from '../../policies/answer-address.tsx';
import { enrolTexts } from './enrol-texts.ts';
import classes from '../helpdesk.module.css';
import {
  begin as beginEnrolment,
  type EnrolKind,
  type EnrolTarget,
  namesOf,
  type Stage,
} from './roll-out.ts';
import { NewPinFields, NO_PIN } from '../new-pin-fields.tsx';
import { tokenTexts } from '../token-texts.ts';
import { useTokenAct } from '../use-token-act.ts';

const KINDS = ['app', 'totp', 'pw', 'spass', 'plain'] as const;
/** A token keeps its type. */
const AGAIN = ['app', 'plain'] as const;

interface BeginProps {
  readonly target: EnrolTarget;
  readonly onStage: (stage: Stage) => void;
}

/** The first step: the kind of the token, and what is set with it. */
export function EnrolBegin({ target, onStage }: BeginProps): ReactNode {
  const t = useTexts(enrolTexts);
  const tokenWords = useTexts(tokenTexts);
  const [kind, setKind] = useState<EnrolKind>('app');
  const [text, setText] = useState('');
  const [description, setDescription] = useState('');
  const [typed, setTyped] = useState(NO_PIN);
  const begin = useTokenAct(
    () => beginEnrolment(kind, target, { description, pin: typed.pin, text }),
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
      <KindChoice target={target} kind={kind} onKind={setKind} />
      {kind === 'pw' && <SecretField label={t.text} autoComplete="off" value={text} onChange={setText} />}
      <TextInput
        label={t.description}
        autoComplete="off"
        value={description}
        onChange={(event) => {
          setDescription(event.currentTarget.value);
        }}
      />
      <NewPinFields
        label={kind === 'spass' ? tokenWords.tokenPin : t.pin}
        isOptional={kind !== 'spass'}
        value={typed}
        onChange={setTyped}
      />
      {kind === 'app' && <AddressWarning target={target} />}
      {target.kind === 'token' && <Alert color="yellow">{t.oldKeyEnds}</Alert>}
      <Failure error={begin.error} />
      <Button type="submit" loading={begin.isPending}>
        {kind === 'app' ? t.start : kind === 'plain' ? t.makeKey : t.makeToken}
      </Button>
    </form>
  );
}

interface KindChoiceProps extends Pick<BeginProps, 'target'> {
  readonly kind: EnrolKind;
  readonly onKind: (kind: EnrolKind) => void;
}

/** The kinds; HOTP is a choice within authenticator apps. */
function KindChoice({ target, kind, onKind }: KindChoiceProps): ReactNode {
  const t = useTexts(enrolTexts);
  const kinds = target.kind === 'token' ? AGAIN : KINDS;
  return (
    <>
      <Radio.Group label={t.kind} value={kind === 'hmac' ? 'totp' : kind}>
        <Stack gap="xs" mt="xs">
          {kinds.map((one) => (
            <Radio
              key={one}
              value={one}
              label={t.kinds[one].name}
              description={t.kinds[one].help}
              onChange={() => {
                onKind(one);
              }}
            />
          ))}
        </Stack>
      </Radio.Group>
      {(kind === 'totp' || kind === 'hmac') && (
        <Checkbox
          label={t.counting}
          description={t.countingHelp}
          checked={kind === 'hmac'}
          onChange={(event) => {
            onKind(event.currentTarget.checked ? 'hmac' : 'totp');
          }}
        />
      )}
    </>
  );
}

/** Tells before the first QR code that the app would have no address for its response. */
function AddressWarning({ target }: Pick<BeginProps, 'target'>): ReactNode {
  const t = useTexts(enrolTexts);
  const { data } = useQuery({
    queryKey: ['helpdesk', 'answer-address', target],
    queryFn: ({ signal }) => call('/admin/answer-address', namesOf(target), { signal }),
    staleTime: 0,
  });
  if (data === undefined || data.address_count === 1) {
    return null;
  }
  return (
    <Alert
      color="yellow"
      role="status"
      title={data.address_count === 0 ? t.addressMissing : t.addressesDiffer}
    >
      {data.realm === null ? (
        <p>{t.addressByPolicies}</p>
      ) : (
        <AnswerAddress realm={data.realm} proposed={data.proposed_address} />
      )}
    </Alert>
  );
}
