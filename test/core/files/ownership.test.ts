/** Who may decide what is in a file that is used: the rule alone. */
import test from 'ava'
import { faultOf, type Owned, privateGroupOf, type User } from '../../../core/files/ownership.ts'

const ME = 1000
const ME_ALONE = 1000
const user: User = { uid: ME, privateGroup: () => ME_ALONE }
const inNoGroup: User = { uid: ME, privateGroup: () => undefined }

const file = (parts: Partial<Owned>): Owned => ({ path: '/x/f', kind: 'file', uid: ME, gid: 50, mode: 0o100644, ...parts })
const folder = (parts: Partial<Owned>): Owned => ({ path: '/x', kind: 'folder', uid: ME, gid: 50, mode: 0o40755, ...parts })
const code = (owned: Owned, who = user, isWay = false) => faultOf('/x/f', owned, who, isWay)?.code

test('what belongs to this user or to root, and that nobody else can write, is used', t => {
  for (const owned of [file({}), file({ uid: 0 }), file({ mode: 0o100600 }), file({ mode: 0o100444 }), folder({}), folder({ uid: 0 })])
    t.is(code(owned), undefined, JSON.stringify(owned))
})

test('what belongs to another user is not, nor a symlink of theirs', t => {
  t.is(code(file({ uid: 1001 })), 'E_FILE_OWNER')
  t.is(code(folder({ uid: 1001 }), user, true), 'E_FILE_OWNER')
  t.is(code(file({ kind: 'symlink', uid: 1001, mode: 0o120777 })), 'E_FILE_OWNER')
  t.is(code(file({ kind: 'symlink', mode: 0o120777 })), undefined, "a symlink's mode means nothing")
  t.is(code(file({ uid: ME }), { uid: 0, privateGroup: () => 0 }), 'E_FILE_OWNER', "root uses no other user's either")
})

test('what others can write is not used', t => {
  t.is(code(file({ mode: 0o100646 })), 'E_FILE_SHARED')
  t.is(code(file({ uid: 0, mode: 0o100666 })), 'E_FILE_SHARED')
  t.is(code(folder({ mode: 0o40777 })), 'E_FILE_SHARED')
  t.is(code(folder({ mode: 0o40777 }), user, true), 'E_FILE_SHARED')
})

test('a sticky folder does no harm on the way, but it does as the folder of the file', t => {
  t.is(code(folder({ path: '/tmp', uid: 0, mode: 0o41777 }), user, true), undefined)
  t.is(code(folder({ path: '/tmp', uid: 0, mode: 0o41777 })), 'E_FILE_SHARED')
})

test('a group may write where it is the private one of this user', t => {
  t.is(code(file({ mode: 0o100664 })), 'E_FILE_SHARED')
  t.is(code(file({ mode: 0o100664, gid: ME_ALONE })), undefined)
  t.is(code(folder({ mode: 0o42775, gid: ME_ALONE })), undefined)
  t.is(code(file({ mode: 0o100664, gid: ME_ALONE }), inNoGroup), 'E_FILE_SHARED')
  t.is(code(file({ mode: 0o100666, gid: ME_ALONE })), 'E_FILE_SHARED', 'the others all the same')
})

test('the error names the file, what is wrong and where, and the command that mends it', t => {
  const message = (owned: Owned) => faultOf('/x/f', owned, inNoGroup)?.message
  t.is(
    message(folder({ mode: 0o41777 })),
    "/x/f is not used: others can write /x (mode 1777). Where you trust what is in it, keep them out: chmod go-w '/x'"
  )
  t.is(
    message(file({ mode: 0o100666 })),
    "/x/f is not used: others can write it (mode 0666). Where you trust what is in it, keep them out: chmod go-w '/x/f'"
  )
  t.regex(message(file({ mode: 0o100664 }))!, /chmod g-w '\/x\/f'$/)
  t.is(
    message(folder({ path: "/o'x", uid: 1001 })),
    "/x/f is not used: /o'x belongs to user 1001. Where you trust what is in it, make it yours: sudo chown \"$USER\" '/o'\\''x'"
  )
})

const PASSWD = 'root:x:0:0:root:/root:/bin/sh\n# a comment\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n'
const GROUP = 'root:x:0:\nusers:x:100:\nann:x:1000:\n'

test('the private group is the primary one that bears the name of the user and has nobody else in it', t => {
  t.is(privateGroupOf(1000, PASSWD, GROUP), 1000)
  t.is(privateGroupOf(0, PASSWD, GROUP), 0)
  t.is(privateGroupOf(1000, PASSWD, 'ann:x:1000:ann\n'), 1000)
  t.is(privateGroupOf(1001, PASSWD, GROUP), undefined, 'of another name')
})

test('in doubt there is no private group', t => {
  for (const [why, passwd, group] of [
    ['a member', PASSWD, 'ann:x:1000:bob\n'],
    ['a member beside the user', PASSWD, 'ann:x:1000:ann,bob\n'],
    ['the primary group of another', `${PASSWD}eve:x:1002:1000::/:/bin/sh\n`, GROUP],
    ['two users of one number', `${PASSWD}eve:x:1000:1002::/:/bin/sh\n`, GROUP],
    ['two groups of one number', PASSWD, `${GROUP}eve:x:1000:\n`],
    ['a group that is not there', PASSWD, 'root:x:0:\n'],
    ['a user that is not there', 'root:x:0:0:::\n', GROUP],
    ['users from elsewhere', `${PASSWD}+::::::\n`, GROUP],
    ['groups from elsewhere', PASSWD, `${GROUP}+:::\n`],
    ['nothing', '', '']
  ] as const)
    t.is(privateGroupOf(1000, passwd, group), undefined, why)
})
