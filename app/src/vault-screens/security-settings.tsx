import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useChanges, useLoaded } from '../shell/services.ts';
import { EMPTY_PIN, isReady, NewPinFields } from './new-pin-fields.tsx';
import { passkeysPossible } from '../vault/passkey.ts';
import { ProofForm } from './proof-form.tsx';
import { RemoveEverything } from './remove-everything.tsx';
import { securityTexts } from './security-texts.ts';
import type { ProtectedVault, VaultSettings } from '../vault/vault.ts';
import { vaultTexts } from './vault-texts.ts';
import { useOutcomeTexts, useVaultWork } from './vault-work.ts';
import { WorkNotice } from './work-notice.tsx';

interface VaultProps {
  readonly vault: ProtectedVault;
}

const LOCK_MINUTES = [1, 2, 5, 15, 30];
const WIPE_AFTER = [5, 10, 20];

/** PIN, passkey, automatic lock, wiping and removing everything. @param top the content that the shell shows above */
export function SecuritySettings({
  vault,
  top,
}: VaultProps & { readonly top?: ComponentChildren }): JSX.Element {
  const texts = useTexts(securityTexts);
  const persistence = useLoaded(() => vault.persistence(), [vault]);
  useChanges(vault);
  return (
    <Screen title={texts.title}>
      {top}
      <Section title={texts.lock}>
        <LockSettings vault={vault} />
      </Section>
      <Section title={texts.changePin}>
        <ChangePin vault={vault} />
      </Section>
      <Section title={texts.passkey}>
        <Passkey vault={vault} />
      </Section>
      <Section title={texts.storage}>
        <p>{persistence.kind === 'loaded' && texts.persistence[persistence.value]}</p>
      </Section>
      <Section title={texts.remove}>
        <p>{texts.removeText}</p>
        <RemoveEverything vault={vault} />
      </Section>
    </Screen>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="actions">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function LockSettings({ vault }: VaultProps): JSX.Element | null {
  const texts = useTexts(securityTexts);
  const settings = useLoaded(() => vault.settings(), [vault]);
  const [changed, setChanged] = useState<Partial<VaultSettings>>({});
  const work = useVaultWork();
  const change = (next: Partial<VaultSettings>): void => {
    setChanged({ ...changed, ...next });
    work.run(async () => {
      try {
        await vault.changeSettings(next);
        return undefined;
      } catch (error) {
        setChanged(changed);
        throw error;
      }
    });
  };
  if (settings.kind !== 'loaded') {
    return null;
  }
  const { lockAfterMinutes, wipeAfterWrongPins } = { ...settings.value, ...changed };
  return (
    <>
      <Choice
        label={texts.lockAfter}
        value={String(lockAfterMinutes)}
        options={LOCK_MINUTES.map((count) => [String(count), texts.minutes(count)])}
        onValue={(minutes) => {
          change({ lockAfterMinutes: Number(minutes) });
        }}
      />
      <Choice
        label={texts.wipe}
        value={String(wipeAfterWrongPins)}
        options={[['null', texts.never], ...WIPE_AFTER.map(wipeOption(texts.wrongPins))]}
        onValue={(count) => {
          change({ wipeAfterWrongPins: count === 'null' ? null : Number(count) });
        }}
      />
      <p class="field-hint">{texts.wipeText}</p>
      <WorkNotice message={work.message} />
    </>
  );
}

function wipeOption(text: (count: number) => string): (count: number) => readonly [string, string] {
  return (count) => [String(count), text(count)];
}

function ChangePin({ vault }: VaultProps): JSX.Element {
  const texts = useTexts(securityTexts);
  const [value, setValue] = useState(EMPTY_PIN);
  const work = useVaultWork();
  const explain = useOutcomeTexts();
  return (
    <ProofForm
      vault={vault}
      work={work}
      pinLabel={texts.currentPin}
      action={texts.changePin}
      isReady={isReady(value)}
      onProof={(proof) => {
        work.run(async () => {
          const outcome = await vault.changePin(proof, value.pin);
          if (outcome.kind === 'open') {
            setValue(EMPTY_PIN);
          }
          return explain(outcome) ?? { kind: 'success', text: texts.pinChanged };
        });
      }}
    >
      <NewPinFields value={value} onValue={setValue} />
    </ProofForm>
  );
}

function Passkey({ vault }: VaultProps): JSX.Element {
  const texts = useTexts(securityTexts);
  const { pin } = useTexts(vaultTexts);
  const possible = useLoaded(passkeysPossible, []);
  const work = useVaultWork();
  const explain = useOutcomeTexts();
  if (vault.hasPasskey) {
    return (
      <>
        <p>{texts.passkeyOn}</p>
        <WorkNotice message={work.message} />
        <Button
          busy={work.isBusy}
          onPress={() => {
            work.run(async () => {
              await vault.removePasskey();
              return { kind: 'success', text: texts.passkeyRemoved };
            });
          }}
        >
          {texts.removePasskey}
        </Button>
      </>
    );
  }
  if (possible.kind === 'loaded' && !possible.value) {
    return <p>{texts.passkeyMissing}</p>;
  }
  return (
    <>
      <p>{texts.passkeyText}</p>
      <ProofForm
        vault={vault}
        work={work}
        pinLabel={pin}
        action={texts.addPasskey}
        isReady
        onProof={(proof) => {
          work.run(
            async () =>
              explain(await vault.addPasskey(proof)) ?? { kind: 'success', text: texts.passkeyAdded },
          );
        }}
      />
    </>
  );
}
