// SPDX-License-Identifier: GPL-2.0

// E0505: The data of an I/O context is behind the lock, too.

fn misuse<T: Operations>(elv: &Elevator<T>, icq: &elevator::Icq<T>) -> Option<T::IcqData>
where
    T::IcqData: Copy,
{
    let guard = elv.lock();
    let data = icq.data(guard.held())?;
    drop(guard);
    Some(data.get())
}
