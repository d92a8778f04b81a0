// contract: FRAMEJIT_API marks what libframejit_core.so exports to the extension module, to tests and to C++
// programs. Everything else is hidden (-fvisibility=hidden). Put it on functions, and on classes whose
// members are not all inline or which are thrown or dynamic_cast across the library's border.
#pragma once

#define FRAMEJIT_API __attribute__((visibility("default")))
