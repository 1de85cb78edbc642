import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import type { OpenChallenge } from '../../../src/device/challenge.ts';
import type { ReadyToken } from '../../../src/device/device-token.ts';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { DeviceScreen } from './device-screen.tsx';
import { testBenchTexts } from './test-bench-texts.ts';
import classes from './test-bench.module.css';
import { confirmChallenge, enrolVirtualToken, sendResponse, type VirtualOwner } from './virtual-device.ts';

/** Enrols a virtual token by both phases; its first challenge is confirmed by hand. */
export function DeviceEnrolment({
  onEnrolled,
}: {
  readonly onEnrolled: (token: ReadyToken) => void;
}): ReactNode {
  const t = useTexts(testBenchTexts);
  const mayEnrol = useSession().may('admin', 'init');
  const [first, setFirst] = useState<OpenChallenge | null>(null);
  const enrol = useMutation({
    // The keys are in the state of this component alone.
    mutationFn: async (owner: VirtualOwner) => {
      setFirst(await enrolVirtualToken(owner, { description: t.enrolDescription, message: t.enrolMessage }));
    },
    gcTime: 0,
  });
  const confirm = useMutation({
    mutationFn: async (): Promise<void> => {
      if (first === null) {
        return;
      }
      const { token, response } = confirmChallenge(first);
      const { result } = await sendResponse(first.transactionId, response);
      setFirst(null);
      if (!result) {
        throw new Error(t.meanings.wrong);
      }
      onEnrolled(token);
    },
    gcTime: 0,
  });
  if (!mayEnrol) {
    return <p>{t.noEnrol}</p>;
  }
  if (first !== null) {
    return (
      <>
        <Failure error={confirm.error} />
        <DeviceScreen
          challenge={first}
          isSending={confirm.isPending}
          onConfirm={() => {
            confirm.mutate();
          }}
          onDecline={() => {
            setFirst(null);
          }}
        />
      </>
    );
  }
  return (
    <OwnerForm
      isEnrolling={enrol.isPending}
      error={enrol.error ?? confirm.error}
      onEnrol={(owner) => {
        confirm.reset();
        enrol.mutate(owner);
      }}
    />
  );
}

interface OwnerFormProps {
  readonly isEnrolling: boolean;
  readonly error: Error | null;
  readonly onEnrol: (owner: VirtualOwner) => void;
}

function OwnerForm({ isEnrolling, error, onEnrol }: OwnerFormProps): ReactNode {
  const t = useTexts(testBenchTexts);
  const [user, setUser] = useState('');
  const [realm, setRealm] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onEnrol({ user: user.trim(), realm: realm.trim() });
  };
  return (
    <form onSubmit={submit} className={classes.step}>
      <TextInput
        label={t.user}
        description={t.userHint}
        value={user}
        autoComplete="off"
        onChange={(event) => {
          setUser(event.currentTarget.value);
        }}
      />
      <TextInput
        label={t.realm}
        value={realm}
        autoComplete="off"
        onChange={(event) => {
          setRealm(event.currentTarget.value);
        }}
      />
      <Failure error={error} />
      <div className={classes.line}>
        <Button type="submit" variant="default" loading={isEnrolling}>
          {t.enrol}
        </Button>
      </div>
    </form>
  );
}
