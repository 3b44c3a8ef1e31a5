// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

/// The templates of Tpetra with their definitions, for scalars and ordinals that the installed libraries do not contain.
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Details_FixedHashTable_decl.hpp>
#include <Tpetra_Details_Random_decl.hpp>
#include <Tpetra_Details_Transfer_decl.hpp>
#include <Tpetra_Details_getDiagCopyWithoutOffsets_decl.hpp>
#include <Tpetra_Details_getGraphDiagOffsets_decl.hpp>
#include <Tpetra_Details_getGraphOffRankOffsets_decl.hpp>
#include <Tpetra_Details_makeColMap_decl.hpp>
#include <Tpetra_Details_packCrsGraph_decl.hpp>
#include <Tpetra_Details_packCrsMatrix_decl.hpp>
#include <Tpetra_Details_unpackCrsGraphAndCombine_decl.hpp>
#include <Tpetra_Details_unpackCrsMatrixAndCombine_decl.hpp>
#include <Tpetra_DirectoryImpl_decl.hpp>
#include <Tpetra_Directory_decl.hpp>
#include <Tpetra_HashTable_decl.hpp>
#include <Tpetra_ImportExportData_decl.hpp>
#include <Tpetra_LocalCrsMatrixOperator_decl.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_leftAndOrRightScaleCrsMatrix_decl.hpp>
// After all declarations.
#include <Tpetra_CrsGraph_def.hpp>
#include <Tpetra_CrsMatrix_def.hpp>
#include <Tpetra_Details_FixedHashTable_def.hpp>
#include <Tpetra_Details_Random_def.hpp>
#include <Tpetra_Details_Transfer_def.hpp>
#include <Tpetra_Details_getDiagCopyWithoutOffsets_def.hpp>
#include <Tpetra_Details_getGraphDiagOffsets_def.hpp>
#include <Tpetra_Details_getGraphOffRankOffsets_def.hpp>
#include <Tpetra_Details_makeColMap_def.hpp>
#include <Tpetra_Details_packCrsGraph_def.hpp>
#include <Tpetra_Details_packCrsMatrix_def.hpp>
#include <Tpetra_Details_unpackCrsGraphAndCombine_def.hpp>
#include <Tpetra_Details_unpackCrsMatrixAndCombine_def.hpp>
#include <Tpetra_DirectoryImpl_def.hpp>
#include <Tpetra_Directory_def.hpp>
#include <Tpetra_DistObject_def.hpp>
#include <Tpetra_Export_def.hpp>
#include <Tpetra_HashTable_def.hpp>
#include <Tpetra_ImportExportData_def.hpp>
#include <Tpetra_Import_def.hpp>
#include <Tpetra_LocalCrsMatrixOperator_def.hpp>
#include <Tpetra_Map_def.hpp>
#include <Tpetra_MultiVector_def.hpp>
#include <Tpetra_RowGraph_def.hpp>
#include <Tpetra_RowMatrix_def.hpp>
#include <Tpetra_Vector_def.hpp>
#include <Tpetra_leftAndOrRightScaleCrsMatrix_def.hpp>
