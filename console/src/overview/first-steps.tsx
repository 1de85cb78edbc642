import { Alert, Anchor, Button, Code } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { DialogBoundary } from '../design/dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { peopleAddress } from '../helpdesk/addresses.ts';
import { type Texts, useTexts } from '../language/language.ts';
import { AnswerAddress } from '../policies/answer-address.tsx';
import { RealmDialog } from '../realms/realm-dialog.tsx';
import { useResolvers } from '../realms/realm-queries.ts';
import { type Session, useSession } from '../session/session.tsx';

export type FirstStepsValue = ValueOf<'/admin/installation/first-steps'>;

const STEPS = ['resolver', 'user', 'realm', 'answer_address', 'token', 'second_factor', 'backup'] as const;
type Step = (typeof STEPS)[number];

interface FirstStepsTexts {
  readonly title: string;
  readonly done: string;
  readonly open: string;
  readonly steps: Readonly<Record<Step, string>>;
  readonly backup: string;
  readonly elsewhere: string;
  /** Of a step that cannot be done yet, or not by the caller. */
  readonly waits: Readonly<Record<Before, string>>;
  readonly lacking: string;
}

/** The steps that others wait for. */
type Before = 'resolver' | 'user' | 'realm';
const BEFORE: Readonly<Partial<Record<Step, readonly Before[]>>> = {
  user: ['resolver'],
  realm: ['resolver'],
  token: ['user', 'realm'],
};

const texts: Texts<FirstStepsTexts> = {
  en: {
    title: 'First steps',
    done: 'done',
    open: 'to do',
    steps: {
      resolver: 'Add a resolver, where the users are',
      user: 'Add the first user',
      realm: 'Make a realm of it',
      answer_address: 'Set the address to which apps send responses',
      token: 'Enrol the first token, and have a first payment confirmed: choose its person',
      second_factor: 'Give an administrator a second factor',
      backup: 'Make a backup',
    },
    backup: 'on the machine of the server:',
    elsewhere: 'I back up otherwise',
    waits: {
      resolver: 'needs the resolver first',
      user: 'needs the first user',
      realm: 'needs the realm first',
    },
    lacking: 'you have no right to this',
  },
  de: {
    title: 'Erste Schritte',
    done: 'erledigt',
    open: 'offen',
    steps: {
      resolver: 'Einen Resolver anlegen, in dem die Benutzer sind',
      user: 'Den ersten Benutzer anlegen',
      realm: 'Daraus einen Realm machen',
      answer_address: 'Die Adresse setzen, an die Apps Antworten schicken',
      token: 'Das erste Token ausrollen und eine erste Zahlung bestätigen lassen: seine Person wählen',
      second_factor: 'Einem Administrator einen zweiten Faktor geben',
      backup: 'Eine Sicherung machen',
    },
    backup: 'auf der Maschine des Servers:',
    elsewhere: 'Ich sichere anders',
    waits: {
      resolver: 'braucht zuerst den Resolver',
      user: 'braucht den ersten Benutzer',
      realm: 'braucht zuerst den Realm',
    },
    lacking: 'dazu haben Sie kein Recht',
  },
};

/** @returns true if anything is left to do */
export function hasOpenSteps(steps: FirstStepsValue): boolean {
  return STEPS.some((step) => !steps[step]);
}

/** What a new installation needs, each with the way to do it. */
export function FirstSteps({ steps }: { readonly steps: FirstStepsValue }): ReactNode {
  const t = useTexts(texts);
  return (
    <Alert color="blue" title={t.title} role="region" aria-label={t.title}>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>
            <strong>{steps[step] ? `✓ ${t.done}` : t.open}:</strong>{' '}
            {steps[step] ? t.steps[step] : <OpenStep step={step} name={t.steps[step]} steps={steps} />}
          </li>
        ))}
      </ol>
    </Alert>
  );
}

interface OpenStepProps {
  readonly step: Step;
  readonly name: string;
  readonly steps: FirstStepsValue;
}

function OpenStep({ step, name, steps }: OpenStepProps): ReactNode {
  const t = useTexts(texts);
  const session = useSession();
  if (step === 'answer_address') {
    return (
      <>
        {name} <AnswerAddress realm="*" proposed={steps.proposed_address} />
      </>
    );
  }
  if (step === 'backup') {
    return (
      <>
        {name}, {t.backup} <Code>tankeeper export FILE</Code>{' '}
        {session.may('system', 'write') && <BackupElsewhere />}
      </>
    );
  }
  const before = BEFORE[step]?.find((one) => !steps[one]);
  const page = before === undefined ? pageOf(step, steps, session) : undefined;
  if (page === undefined) {
    return `${name} (${before === undefined ? t.lacking : t.waits[before]})`;
  }
  return step === 'realm' ? (
    <FirstRealm name={name} />
  ) : (
    <Anchor inherit href={`#${page}`}>
      {name}
    </Anchor>
  );
}

/** Makes the realm without leaving the first steps. */
function FirstRealm({ name }: { readonly name: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const resolvers = useResolvers();
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <Anchor
        inherit
        component="button"
        type="button"
        onClick={() => {
          setOpen(true);
        }}
      >
        {name}
      </Anchor>
      {isOpen && (
        <DialogBoundary onClose={close}>
          <RealmDialog
            realm={undefined}
            resolvers={(resolvers.data ?? []).map((one) => one.name)}
            onClose={close}
          />
        </DialogBoundary>
      )}
    </>
  );
}

/** @returns where the step is done; undefined: the caller may not */
function pageOf(
  step: Exclude<Step, 'answer_address' | 'backup'>,
  { empty_resolver: empty }: FirstStepsValue,
  session: Session,
): string | undefined {
  const mayChange = session.may('system', 'write');
  const mayEnrol = session.may('admin', 'init') && session.may('admin', 'show');
  const pages: Readonly<Record<typeof step, string | false>> = {
    resolver: mayChange && '/new-resolver',
    user: mayChange && empty !== null && `/resolvers/${encodeURIComponent(empty)}`,
    realm: mayChange && '/realms',
    token: mayEnrol && peopleAddress(session),
    second_factor: '/account',
  };
  return pages[step] || undefined;
}

function BackupElsewhere(): ReactNode {
  const t = useTexts(texts);
  const told = useDialogAct({
    title: t.elsewhere,
    act: () => call('/admin/setting/set', { key: 'BackupElsewhere', value: 'True' }),
    onDone: () => undefined,
  });
  return (
    <>
      <Button size="xs" variant="default" loading={told.isPending} onClick={told.run}>
        {t.elsewhere}
      </Button>
      <Failure error={told.error} />
    </>
  );
}
