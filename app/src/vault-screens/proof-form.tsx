import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { useTexts } from '../language/language.ts';
import { Form } from './form.tsx';
import type { Proof, ProtectedVault } from '../vault/vault.ts';
import { vaultTexts } from './vault-texts.ts';
import type { VaultWork } from './vault-work.ts';
import { WorkNotice } from './work-notice.tsx';

/**
 * A form that asks for the PIN, or the passkey where one is set up, before it does something: an unlocked phone in
 * other hands must not do it.
 */
export function ProofForm({
  vault,
  work,
  pinLabel,
  action,
  isReady,
  onProof,
  children,
}: {
  vault: ProtectedVault;
  work: VaultWork;
  pinLabel: string;
  /** The text of the button. */
  action: string;
  /** True if the other fields are filled in. */
  isReady: boolean;
  onProof: (proof: Proof) => void;
  children?: ComponentChildren;
}): JSX.Element {
  const { withPasskey } = useTexts(vaultTexts);
  const [pin, setPin] = useState('');
  return (
    <Form
      onSubmit={() => {
        if (isReady && pin !== '') {
          setPin('');
          onProof({ kind: 'pin', pin });
        }
      }}
    >
      <Field
        label={pinLabel}
        type="password"
        inputMode={vault.hasDigitPin ? 'numeric' : 'text'}
        autocomplete="current-password"
        value={pin}
        onValue={setPin}
      />
      {children}
      <WorkNotice message={work.message} />
      <Button type="submit" kind="primary" disabled={!isReady || pin === ''} busy={work.isBusy}>
        {action}
      </Button>
      {vault.hasPasskey && (
        <Button
          disabled={!isReady}
          busy={work.isBusy}
          onPress={() => {
            onProof({ kind: 'passkey' });
          }}
        >
          {withPasskey}
        </Button>
      )}
    </Form>
  );
}
