import { Alert, Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { DialogBoundary } from '../design/dialog.tsx';
import { FormDialog } from '../design/form-dialog.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { type Texts, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { expectedOf, NEW_POLICY, parametersOf, type PolicyDraft, withValue } from './policy-draft.ts';

interface AnswerAddressTexts {
  readonly set: string;
  readonly lead: (policy: string, realm: string) => string;
  readonly address: string;
  readonly warnings: Readonly<Record<Unreachable, string>>;
  readonly lacking: string;
}

/** What keeps the responses of phones away: an address that means the phone itself, or that is not encrypted. */
type Unreachable = 'loopback' | 'plain';

const texts: Texts<AnswerAddressTexts> = {
  en: {
    set: 'Set the answer address',
    lead: (policy, realm) =>
      `Makes the policy ${policy} with qrtanurl, for ${realm === '*' ? 'all realms' : `the realm ${realm}`}.`,
    address: 'Address to which apps send responses',
    warnings: {
      loopback:
        'This address means the device that opens it: a phone would send its response to itself. It is right for tests on this computer alone.',
      plain:
        'Without https, the app does not send its response: it shows digits to be typed. Others on the way could read it.',
    },
    lacking: 'You have no right to policies (system:write). Ask whoever has it to set the policy qrtanurl.',
  },
  de: {
    set: 'Antwortadresse setzen',
    lead: (policy, realm) =>
      `Legt die Richtlinie ${policy} mit qrtanurl an, für ${realm === '*' ? 'alle Realms' : `den Realm ${realm}`}.`,
    address: 'Adresse, an die Apps Antworten schicken',
    warnings: {
      loopback:
        'Diese Adresse meint das Gerät, das sie öffnet: Ein Telefon schickte seine Antwort an sich selbst. Sie taugt nur für Versuche auf diesem Computer.',
      plain:
        'Ohne https schickt die App ihre Antwort nicht, sondern zeigt Ziffern zum Abtippen. Andere könnten unterwegs mitlesen.',
    },
    lacking:
      'Sie haben kein Recht auf Richtlinien (system:write). Bitten Sie jemanden, der es hat, die Richtlinie qrtanurl zu setzen.',
  },
};

/** @returns why phones would not send their responses there; undefined: nothing speaks against it */
function unreachable(address: string): Unreachable | undefined {
  const [, scheme, host = ''] = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)/i.exec(address.trim()) ?? [];
  if (/^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/i.test(host)) {
    return 'loopback';
  }
  return scheme?.toLowerCase() === 'http' ? 'plain' : undefined;
}

/** The policy that gives tokens their answer address. */
function addressPolicy(realm: string, address: string): PolicyDraft {
  const suffix = realm === '*' ? '' : `-${realm.replaceAll(/[^\w.-]/g, '-')}`;
  return {
    ...NEW_POLICY,
    name: `answer-address${suffix}`.slice(0, 128),
    scope: 'authentication',
    action: withValue('', 'qrtanurl', address.trim()),
    realm,
    user: '*',
  };
}

interface AnswerAddressProps {
  /** The realms of the policy, a comma list. */
  readonly realm: string;
  /** Null: the server does not know its address. */
  readonly proposed: string | null;
}

/** Sets the address that apps send responses to, by a new policy; tells those who may not whom to ask. */
export function AnswerAddress({ realm, proposed }: AnswerAddressProps): ReactNode {
  const t = useTexts(texts);
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!session.may('system', 'write')) {
    return <p>{t.lacking}</p>;
  }
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          setOpen(true);
        }}
      >
        {t.set}
      </Button>
      {isOpen && (
        <DialogBoundary onClose={close}>
          <AddressDialog
            realm={realm}
            proposed={proposed ?? new URL('../ocra/check_t', document.baseURI).href}
            onClose={close}
          />
        </DialogBoundary>
      )}
    </>
  );
}

function AddressDialog({
  realm,
  proposed,
  onClose,
}: {
  readonly realm: string;
  readonly proposed: string;
  readonly onClose: () => void;
}): ReactNode {
  const t = useTexts(texts);
  const [address, setAddress] = useState(proposed);
  const policy = addressPolicy(realm, address);
  const fault = unreachable(address);
  const change = useDialogAct({
    title: t.set,
    act: () => call('/admin/policy/set', { ...parametersOf(policy), expected: expectedOf(null) }),
    onDone: onClose,
  });
  return (
    <FormDialog
      title={t.set}
      action={t.set}
      isRunning={change.isPending}
      error={change.error}
      onSubmit={change.run}
      onClose={onClose}
    >
      <p>{t.lead(policy.name, realm)}</p>
      <TextInput
        type="url"
        label={t.address}
        required
        withAsterisk={false}
        autoComplete="off"
        data-autofocus
        value={address}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
        }}
      />
      <div role="status">{fault && <Alert color="yellow">{t.warnings[fault]}</Alert>}</div>
    </FormDialog>
  );
}
